package li.wlz.kuport.cluster;

import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** For a test class that needs kuport at work, with the class {@code public} on edge. */
final class InstalledKuport implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        KubernetesCluster cluster = SharedCluster.cluster();
        try {
            Kuport.install(cluster);
            Kuport.offer(cluster, "public", "Single", "edge");
        } catch (RuntimeException e) {
            cluster.dump(Path.of("target/cluster-without-kuport"));
            throw e;
        }
    }
}
