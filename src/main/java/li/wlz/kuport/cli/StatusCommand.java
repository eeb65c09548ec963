package li.wlz.kuport.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import li.wlz.kuport.inspect.StatusView;
import li.wlz.kuport.k8s.Overview;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints what became of a cluster's PortMaps. */
@Command(
        name = "status",
        header =
                "Prints each mapping of a cluster: the address to hand out, the pod, its node, or why it is not served.",
        description = {
            "Runs wherever the cluster can be reached, and in the agent's pods:",
            "kubectl -n kuport-system exec daemonset/kuport-agent -- kuport status",
            "Exit status: 0 if every mapping is served, 1 if not."
        },
        sortOptions = false)
final class StatusCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Of this namespace alone. Default: of all.")
    @Nullable
    String namespace;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "How to reach the cluster. Default: the pod's service account, else $KUBECONFIG, else ~/.kube/config.")
    @Nullable
    Path kubeconfig;

    @Mixin
    Output output = new Output();

    @Override
    public Integer call() {
        try (KubernetesClient client = Cluster.open(kubeconfig)) {
            Overview overview = Overview.read(client, namespace);
            StatusView view = StatusView.of(overview.portMaps(), overview.nodes());
            output.print(view, view::text);
            return view.allServed() ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
