package li.wlz.kuport.cluster;

import java.io.Console;
import java.io.IOException;
import java.util.Map;
import li.wlz.kuport.lab.AddressPlan;

/** {@code make cluster}: brings the test cluster up with kuport in it, and opens a shell inside. */
public final class ClusterMain {
    private static final String GAME = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: games}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: gameserver, namespace: games}
            spec:
              ipFamilyPolicy: PreferDualStack
              selector: {app: gameserver}
              ports:
                - {name: game, port: 3000, targetPort: game, protocol: UDP}
                - {name: chat, port: 3000, targetPort: chat, protocol: TCP}
            ---
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMap
            metadata: {name: gameserver, namespace: games}
            spec: {className: public, protocol: UDP, port: 3000, serviceRef: {name: gameserver, port: game}}
            ---
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMap
            metadata: {name: gameserver-chat, namespace: games}
            spec: {className: public, protocol: TCP, port: 3000, serviceRef: {name: gameserver, port: chat}}
            ---
            """;

    private ClusterMain() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.out.println("starting a control plane and four nodes ...");
        try (KubernetesCluster cluster = KubernetesCluster.start()) {
            System.out.println("installing kuport ...");
            Kuport.install(cluster);
            Kuport.offer(cluster, "public", "Single", "edge", "edge2");
            cluster.apply(GAME + Server.on("home1").manifest("games"));
            System.out.printf(
                    """

                    A Kubernetes with the nodes edge, edge2 (public), home1 and home2 (behind a home router) is up, with kuport on each.
                    This shell is inside:

                      kubectl get nodes,pods -A -o wide
                      kubectl get pm,pmc,pmn -A -o wide
                      nsenter --net=/run/netns/cli bash      a client on the internet, %s and %s
                      exec 3<>/dev/udp/%s/3000; echo hello >&3; head -n1 <&3        typed there: who the game server sees
                      nsenter --net=/run/netns/edge nft list table inet kuport

                    Logs of the cluster's programs are in %s. Leave the shell, or type make cluster-down elsewhere, and all of it is gone.
                    """, AddressPlan.CLIENT.ipv4(), AddressPlan.CLIENT.ipv6(), AddressPlan.A1.ipv4(), Machine.FOLDER);
            shell(cluster);
        }
    }

    /** Until the person leaves it; without a terminal, until this JVM is ended. */
    // From Java 25 on it is null again without a terminal.
    @SuppressWarnings("SystemConsoleNull")
    private static void shell(KubernetesCluster cluster) throws IOException, InterruptedException {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            Thread.currentThread().join();
        }
        ProcessBuilder shell = new ProcessBuilder("bash", "-i").inheritIO();
        Map<String, String> environment = shell.environment();
        environment.put("KUBECONFIG", cluster.kubeconfig().toString());
        environment.put("PATH", cluster.kubectl().getParent() + ":" + environment.getOrDefault("PATH", "/usr/bin"));
        shell.start().waitFor();
    }
}
