package li.wlz.kuport.lab;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One world for a test class: {@code @RegisterExtension static final LabExtension lab = new LabExtension(Layout.plain());}.
 *
 * <p>When a test fails, what is in every namespace is written to {@code target/lab-CLASS.TEST/} before anything is cleaned up.
 */
public final class LabExtension implements BeforeAllCallback, AfterAllCallback, AfterTestExecutionCallback {
    private final Layout layout;
    private @Nullable World world;

    public LabExtension(Layout layout) {
        this.layout = layout;
    }

    /** The class's world. */
    public World world() {
        return Optional.ofNullable(world)
                .orElseThrow(() -> new IllegalStateException("no test of the class has begun"));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        world = World.build(layout);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            Path folder = Path.of("target", "lab-" + name(context));
            world().dump(folder);
            context.publishReportEntry("lab", "what was in the namespaces is in " + folder.toAbsolutePath());
        }
    }

    /** {@code CLASS.TEST}, and for tests with arguments, which share a method, these. */
    private static String name(ExtensionContext context) {
        String arguments = context.getDisplayName().startsWith("[")
                ? context.getDisplayName().replaceAll("[^A-Za-z0-9]+", "-")
                : "";
        return context.getRequiredTestClass().getSimpleName() + "."
                + context.getRequiredTestMethod().getName() + arguments;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        world().close();
    }
}
