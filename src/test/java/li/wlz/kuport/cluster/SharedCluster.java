package li.wlz.kuport.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One cluster for all test classes of a run, started by the first; and for each test that has a parameter for it, a {@link Scene}.
 *
 * <p>When a test fails, what is in the cluster is written to {@code target/cluster-CLASS.TEST/} before anything is cleaned up.
 */
final class SharedCluster
        implements BeforeAllCallback, AfterTestExecutionCallback, AfterEachCallback, ParameterResolver {
    private static final Namespace HERE = Namespace.create(SharedCluster.class);
    private static @Nullable KubernetesCluster cluster;

    /** The cluster; for a test class with {@link InCluster}. */
    static synchronized KubernetesCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("no test class with @InCluster has begun");
        }
        return cluster;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot().getStore(HERE).computeIfAbsent(KubernetesCluster.class, key -> started());
    }

    private static synchronized KubernetesCluster started() {
        cluster = KubernetesCluster.start();
        return cluster;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Scene.class;
    }

    @Override
    public Scene resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(HERE).computeIfAbsent(Scene.class, key -> Scene.open(cluster()), Scene.class);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            Path folder = Path.of(
                    "target",
                    "cluster-" + context.getRequiredTestClass().getSimpleName() + "."
                            + context.getRequiredTestMethod().getName()
                            + (context.getDisplayName().startsWith("[")
                                    ? context.getDisplayName().replaceAll("[^A-Za-z0-9]+", "-")
                                    : ""));
            cluster().dump(folder);
            context.publishReportEntry("cluster", "what was in the cluster is in " + folder.toAbsolutePath());
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Scene scene = context.getStore(HERE).remove(Scene.class, Scene.class);
        if (scene != null) {
            scene.close();
        }
    }
}
