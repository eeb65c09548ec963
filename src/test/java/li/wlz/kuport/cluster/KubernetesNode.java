package li.wlz.kuport.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** containerd, kubelet and kube-proxy on a node of the world, with the bridge CNI. */
final class KubernetesNode {
    private final MeshNode machine;
    private final ProxyMode proxyMode;
    private final Path programs;
    private final Path kubeconfig;
    private final String cgroup;
    private final Path folder;
    private final Deque<Process> running = new ArrayDeque<>();
    private @Nullable Process proxy;

    /** How kube-proxy writes its rules. */
    enum ProxyMode {
        NFTABLES("nftables"),
        IPTABLES("iptables"),
        /** By the older iptables, which is then that of the whole node: kubelet's mark is there, too. */
        IPTABLES_LEGACY("iptables");

        private final String configured;

        ProxyMode(String configured) {
            this.configured = configured;
        }
    }

    KubernetesNode(MeshNode machine, ProxyMode proxyMode, Path programs, Path kubeconfig, String cgroup) {
        this.machine = machine;
        this.proxyMode = proxyMode;
        this.programs = programs;
        this.kubeconfig = kubeconfig;
        this.cgroup = cgroup;
        this.folder = Machine.FOLDER.resolve(machine.name());
    }

    MeshNode machine() {
        return machine;
    }

    Namespace namespace() {
        return machine.namespace();
    }

    ProxyMode proxyMode() {
        return proxyMode;
    }

    /** Writes the configurations, lets pods out to the internet and starts containerd. */
    void startContainerd() {
        try {
            Files.createDirectories(folder.resolve("cni"));
            Files.writeString(folder.resolve("cni/10-lab.conflist"), cni());
            Files.writeString(folder.resolve("containerd.toml"), containerd());
            Files.writeString(folder.resolve("kubelet.yaml"), kubelet());
            Files.writeString(folder.resolve("proxy.yaml"), proxy());
            linkLegacy();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to " + folder, e);
        }
        spawnContainerd();
    }

    private void spawnContainerd() {
        spawn(
                "containerd",
                "containerd",
                "--config",
                folder.resolve("containerd.toml").toString());
        // Its socket answers earlier, but a kubelet that asks then gives up.
        Path log = folder.resolve("containerd.log");
        Awaitility.await("containerd on " + machine.name() + "; its log is " + log)
                .atMost(Duration.ofMinutes(1))
                .until(() -> Files.readString(log).contains("Start streaming server"));
    }

    /**
     * Settles the pods' bridge and masquerades what pods send out of the cluster: once a world, it stays.
     *
     * <p>The bridge gets an address of its own. The plugin would leave it that of one of its ports, which changes as pods come and
     * go, and pods' IPv6 packets to the old one are lost for some seconds.
     */
    void wire() {
        namespace().ip("link set cni0 address 0a:00:00:00:00:0%d mtu 1420\n".formatted(machine.number()));
        namespace()
                .nft(masqueradeOf("ip", machine.podBlock().ipv4().toString(), "10.244.0.0/16", "224.0.0.0/4")
                        + masqueradeOf("ip6", machine.podBlock().ipv6().toString(), "fd10:244::/48", "ff00::/8"));
    }

    /** As flannel does it: also what enters the cluster through a node that is not the pod's. */
    private static String masqueradeOf(String family, String own, String all, String multicast) {
        return """
                table %1$s cni {
                    chain postrouting {
                        type nat hook postrouting priority srcnat
                        %1$s saddr %3$s %1$s daddr %3$s return
                        %1$s saddr %3$s %1$s daddr != %4$s masquerade
                        %1$s saddr != %3$s %1$s daddr %2$s return
                        %1$s saddr != %3$s %1$s daddr %3$s masquerade
                    }
                }
                """.formatted(family, own, all, multicast);
    }

    /** Imports an image from its archive, by its tag and by its digest. */
    void importImage(Path archive, String repository) {
        Program.run(ctr("images", "import", "--digests", "--base-name", repository, archive.toString())
                .toArray(String[]::new));
    }

    /** Starts kubelet and kube-proxy. */
    void startKubelet() {
        spawn(
                "kubelet",
                programs.resolve("kubelet").toString(),
                "--config=" + folder.resolve("kubelet.yaml"),
                "--kubeconfig=" + kubeconfig,
                "--root-dir=" + folder.resolve("kubelet"),
                "--cert-dir=" + folder.resolve("certificates"),
                "--hostname-override=" + machine.name(),
                "--node-ip=" + machine.mesh().ipv4() + "," + machine.mesh().ipv6());
        startProxy();
    }

    private void startProxy() {
        proxy = spawn(
                "kube-proxy", programs.resolve("kube-proxy").toString(), "--config=" + folder.resolve("proxy.yaml"));
    }

    /** Ends kube-proxy as a crash would and starts it again. */
    void restartProxy() {
        if (proxy != null) {
            proxy.destroyForcibly();
            await(proxy);
            running.remove(proxy);
        }
        startProxy();
    }

    /** The node loses its power, and so its pods; {@link #powerOn} brings it back. Its network is left as it is. */
    void powerOff() {
        stop();
        namespace().nft("""
                table netdev lab-power {
                    chain in { type filter hook ingress devices = { eth0 } priority 0; policy drop; }
                    chain out { type filter hook egress devices = { eth0 } priority 0; policy drop; }
                }
                """);
    }

    void powerOn() {
        namespace().nft("delete table netdev lab-power\n");
        spawnContainerd();
        startKubelet();
    }

    /** Ends the node's programs and all its containers, as a crash would. */
    void stop() {
        List<String> containers = containers();
        for (Process process = running.poll(); process != null; process = running.poll()) {
            process.destroyForcibly();
            await(process);
        }
        containers.forEach(process -> Program.attempt(List.of("kill", "-KILL", process)));
    }

    /** The processes of all containers. */
    private List<String> containers() {
        return Program.attempt(ctr("tasks", "list"))
                .output()
                .lines()
                .skip(1)
                .map(line -> line.split("\\s+", -1))
                .filter(fields -> fields.length > 2 && fields[2].equals("RUNNING"))
                .map(fields -> fields[1])
                .toList();
    }

    /** Asks a container's program to end; {@code id} is as a pod's status has it: {@code containerd://4f1c}. */
    void endContainer(String id) {
        Program.run(ctr("tasks", "kill", "--signal", "SIGTERM", id.replaceAll(".*/", ""))
                .toArray(String[]::new));
    }

    private static void await(Process process) {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> ctr(String... arguments) {
        List<String> command = new ArrayList<>(
                List.of("ctr", "-a", folder.resolve("containerd.sock").toString(), "-n", "k8s.io"));
        command.addAll(List.of(arguments));
        return command;
    }

    private Process spawn(String name, String... command) {
        List<String> here = new ArrayList<>(List.of("env", "PATH=" + path()));
        here.addAll(List.of(command));
        Process process = namespace().start(folder.resolve(name + ".log"), here.toArray(String[]::new));
        running.push(process);
        return process;
    }

    /** Where the node's programs look for {@code iptables} and the like. */
    private String path() {
        String usual = System.getenv("PATH");
        return proxyMode == ProxyMode.IPTABLES_LEGACY ? folder.resolve("legacy") + ":" + usual : usual;
    }

    /** Each program of iptables is a name of the one that has all of a backend. */
    private void linkLegacy() throws IOException {
        Path programs = Files.createDirectories(folder.resolve("legacy"));
        for (String name : List.of("iptables", "ip6tables")) {
            for (String verb : List.of("", "-save", "-restore")) {
                Path link = programs.resolve(name + verb);
                // Where a test is tried once more there has been a cluster before.
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, Path.of("/usr/sbin/xtables-legacy-multi"));
            }
        }
    }

    private String cni() {
        return """
                {"cniVersion": "0.4.0", "name": "lab", "plugins": [
                  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "mtu": 1420,
                   "ipam": {"type": "host-local", "dataDir": "%s",
                            "ranges": [[{"subnet": "%s"}], [{"subnet": "%s"}]],
                            "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}},
                  {"type": "portmap", "capabilities": {"portMappings": true}}]}
                """.formatted(
                        folder.resolve("ipam"),
                        machine.podBlock().ipv4(),
                        machine.podBlock().ipv6());
    }

    private String containerd() {
        return """
                version = 2
                root = "%1$s/containerd"
                state = "%1$s/state"
                [grpc]
                  address = "%1$s/containerd.sock"
                [ttrpc]
                  address = "%1$s/containerd.ttrpc"
                [plugins."io.containerd.internal.v1.opt"]
                  path = "%1$s/opt"
                [plugins."io.containerd.grpc.v1.cri"]
                  sandbox_image = "%2$s"
                  restrict_oom_score_adj = true
                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "/usr/lib/cni"
                    conf_dir = "%1$s/cni"
                  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
                    runtime_type = "io.containerd.runc.v2"
                """.formatted(folder, WorkloadImage.NAME);
    }

    private String kubelet() {
        return """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
                authorization: {mode: AlwaysAllow}
                cgroupDriver: cgroupfs
                cgroupsPerQOS: false
                cgroupRoot: %2$s
                enforceNodeAllocatable: []
                failCgroupV1: false
                failSwapOn: false
                containerRuntimeEndpoint: unix://%1$s/containerd.sock
                podLogsDir: %1$s/podlogs
                volumePluginDir: %1$s/volumeplugins
                resolvConf: ""
                evictionHard: {memory.available: 10Mi, nodefs.available: 1Mi, imagefs.available: 1Mi}
                nodeStatusUpdateFrequency: 2s
                nodeLeaseDurationSeconds: 8
                imageGCHighThresholdPercent: 100
                """.formatted(folder, cgroup);
    }

    private String proxy() {
        return """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                mode: %s
                hostnameOverride: %s
                clientConnection: {kubeconfig: %s}
                clusterCIDR: 10.244.0.0/16,fd10:244::/48
                nodePortAddresses: ["0.0.0.0/0", "::/0"]
                conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
                """.formatted(proxyMode.configured, machine.name(), kubeconfig);
    }
}
