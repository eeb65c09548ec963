package li.wlz.kuport.cluster;

/**
 * A Deployment of pods that answer on one port: the container port "chat" of TCP, the container port "game" of UDP.
 *
 * @param node where they run
 * @param port the pods' port
 * @param lingers whether they serve on while they terminate
 * @param gated whether they are ready only when a test says so: {@link Scene#setReady}
 */
record Server(String name, String node, int replicas, int port, boolean hostNetwork, boolean lingers, boolean gated) {
    static final int PORT = 8080;
    static final String READY = "lab.local/ready";

    /** One pod on the node. */
    static Server on(String node) {
        return new Server("gameserver", node, 1, PORT, false, false, false);
    }

    Server named(String other) {
        return new Server(other, node, replicas, port, hostNetwork, lingers, gated);
    }

    Server at(String other) {
        return new Server(name, other, replicas, port, hostNetwork, lingers, gated);
    }

    Server times(int count) {
        return new Server(name, node, count, port, hostNetwork, lingers, gated);
    }

    Server listening(int other) {
        return new Server(name, node, replicas, other, hostNetwork, lingers, gated);
    }

    Server inHostNetwork() {
        return new Server(name, node, replicas, port, true, lingers, gated);
    }

    Server lingering() {
        return new Server(name, node, replicas, port, hostNetwork, true, gated);
    }

    Server withGate() {
        return new Server(name, node, replicas, port, hostNetwork, lingers, true);
    }

    String manifest(String namespace) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  replicas: %3$d
                  selector: {matchLabels: {deployment: %1$s}}
                  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
                  template:
                    metadata: {labels: {app: gameserver, deployment: %1$s}}
                    spec:
                      nodeSelector: {kubernetes.io/hostname: %4$s}
                      hostNetwork: %5$s
                      terminationGracePeriodSeconds: %6$d
                      automountServiceAccountToken: false
                      enableServiceLinks: false
                      readinessGates: %7$s
                      tolerations:
                        - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 2}
                        - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 2}
                      containers:
                        - name: server
                          image: %8$s
                          imagePullPolicy: Never
                          args: [%9$s, "%10$d"]
                          env:
                            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                          ports:
                            - {name: game, containerPort: %10$d, protocol: UDP}
                            - {name: chat, containerPort: %10$d, protocol: TCP}
                """.formatted(
                        name,
                        namespace,
                        replicas,
                        node,
                        hostNetwork,
                        lingers ? 8 : 1,
                        gated ? "[{conditionType: " + READY + "}]" : "[]",
                        WorkloadImage.NAME,
                        lingers ? "linger" : "serve",
                        port);
    }
}
