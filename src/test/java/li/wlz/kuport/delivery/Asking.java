package li.wlz.kuport.delivery;

import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.model.IpFamily;

/**
 * A pod that asks for ports of its node by an annotation, as a manifest.
 *
 * @param created the second it was made in, 0 to 59
 */
record Asking(
        String name, MeshNode node, Host pod, String annotation, int created, List<IpFamily> families, String state) {
    private static final String READY = "Ready";

    /** A ready pod of both families. */
    static Asking of(MeshNode node, Host pod, String annotation) {
        return new Asking(pod.name(), node, pod, annotation, 0, List.of(IpFamily.values()), READY);
    }

    /** An annotation of one entry, at the address that is detected. */
    static String entry(int port, int podPort, String protocol) {
        return "{\"entries\":[{\"srcPort\":%d,\"dstPort\":%d,\"proto\":\"%s\"}]}".formatted(port, podPort, protocol);
    }

    /** An annotation of TCP and UDP on one port, at the address that is detected. */
    static String both(int port, int podPort) {
        return "{\"entries\":[{\"srcPort\":%1$d,\"dstPort\":%2$d},{\"srcPort\":%1$d,\"dstPort\":%2$d,\"proto\":\"udp\"}]}"
                .formatted(port, podPort);
    }

    Asking createdAt(int second) {
        return new Asking(name, node, pod, annotation, second, families, state);
    }

    Asking named(String other) {
        return new Asking(other, node, pod, annotation, created, families, state);
    }

    Asking unready() {
        return new Asking(name, node, pod, annotation, created, families, "NotReady");
    }

    Asking ending() {
        return new Asking(name, node, pod, annotation, created, families, "Ending");
    }

    Asking finished() {
        return new Asking(name, node, pod, annotation, created, families, "Finished");
    }

    Asking only(IpFamily family) {
        return new Asking(name, node, pod, annotation, created, List.of(family), state);
    }

    String yaml() {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: %s
                  creationTimestamp: "2026-01-01T00:00:%02dZ"
                %s  annotations:
                    bln.space/podnat: '%s'
                spec:
                  nodeName: %s
                  containers: []
                status:
                  phase: %s
                  podIPs: [%s]
                  conditions: [{type: Ready, status: "%s"}]
                """.formatted(
                        name,
                        Manifests.NAMESPACE,
                        created,
                        state.equals("Ending") ? "  deletionTimestamp: \"2026-01-02T00:00:00Z\"\n" : "",
                        annotation,
                        node.name(),
                        state.equals("Finished") ? "Succeeded" : "Running",
                        families.stream()
                                .map(family -> "{ip: \"" + pod.address(family) + "\"}")
                                .collect(Collectors.joining(", ")),
                        state.equals("NotReady") ? "False" : "True");
    }
}
