package li.wlz.kuport.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import li.wlz.kuport.k8s.ApiConnection;
import org.jspecify.annotations.Nullable;

/** The cluster that a command is about. */
final class Cluster {
    private Cluster() {}

    /**
     * A client that has not connected yet.
     *
     * @param kubeconfig the file that was asked for; null for none
     * @throws CommandException if it cannot be read
     */
    static KubernetesClient open(@Nullable Path kubeconfig) {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw new CommandException("cannot read --kubeconfig " + kubeconfig);
        }
        return ApiConnection.open(kubeconfig, VersionCommand.version());
    }
}
