import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Copies {@code kuport.jar} and {@code lib/*.jar} for the image: {@code java Slim.java FROM TO EPOCH_SECONDS FIRST_LINE}.
 *
 * <p>Leaves out what only debuggers and builds read (tables of local variables, Maven's and Jandex' files; line numbers stay),
 * and raises class files older than Java 6, which the JVM would not archive. Every entry bears the one given time. {@code
 * kuport.jar} becomes the program {@code kuport}: with the first line {@code #!/path/java @options} the kernel starts it, and
 * readers of jars don't mind, for they begin at a file's end.
 */
final class Slim {
    private static final int FIRST_THAT_IS_ARCHIVED = ClassFile.JAVA_6_VERSION;

    /** The oldest version that present compilers still write. */
    private static final int RAISED_TO = ClassFile.JAVA_8_VERSION;

    private static final List<String> LEFT_OUT = List.of("META-INF/maven/", "META-INF/jandex.idx");

    private final long millis;

    private Slim(long millis) {
        this.millis = millis;
    }

    public static void main(String[] args) throws IOException {
        Path from = Path.of(args[0]);
        Path to = Path.of(args[1]);
        Slim slim = new Slim(Long.parseLong(args[2]) * 1000);
        slim.copy(from.resolve("kuport.jar"), to.resolve("kuport"), args[3] + "\n");
        Files.createDirectories(to.resolve("lib"));
        try (Stream<Path> jars = Files.list(from.resolve("lib"))) {
            for (Path jar : jars.sorted().toList()) {
                slim.copy(jar, to.resolve("lib").resolve(jar.getFileName()), "");
            }
        }
    }

    private void copy(Path from, Path to, String firstLine) throws IOException {
        try (URLClassLoader classes = new URLClassLoader(new URL[] {from.toUri().toURL()});
                JarFile jar = new JarFile(from.toFile());
                OutputStream out = Files.newOutputStream(to)) {
            out.write(firstLine.getBytes(StandardCharsets.UTF_8));
            ZipOutputStream zip = new ZipOutputStream(out);
            ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofResourceParsing(classes);
            jar.stream().filter(Slim::isKept).forEach(entry -> copy(jar, entry, hierarchy, zip));
            zip.finish();
        }
    }

    private static boolean isKept(JarEntry entry) {
        return !entry.isDirectory() && LEFT_OUT.stream().noneMatch(entry.getName()::startsWith);
    }

    private void copy(JarFile jar, JarEntry entry, ClassHierarchyResolver hierarchy, ZipOutputStream zip) {
        try {
            byte[] bytes = jar.getInputStream(entry).readAllBytes();
            ZipEntry written = new ZipEntry(entry.getName());
            written.setTime(millis);
            zip.putNextEntry(written);
            zip.write(entry.getName().endsWith(".class") ? slim(bytes, hierarchy) : bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(jar.getName() + ", " + entry.getName(), e);
        }
    }

    private static byte[] slim(byte[] bytes, ClassHierarchyResolver hierarchy) {
        ClassFile classes = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);
        ClassModel model = classes.parse(bytes);
        if (model.majorVersion() >= FIRST_THAT_IS_ARCHIVED) {
            return classes.transformClass(model, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL));
        }
        ClassTransform raise = (built, element) -> {
            if (element instanceof ClassFileVersion) {
                built.withVersion(RAISED_TO, 0);
            } else {
                built.with(element);
            }
        };
        return classes.withOptions(
                        ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                        ClassFile.ClassHierarchyResolverOption.of(hierarchy))
                .transformClass(
                        model,
                        raise.andThen(ClassTransform.transformingMethods(
                                MethodTransform.transformingCode(CodeTransform.ACCEPT_ALL))));
    }
}
