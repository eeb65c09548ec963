package li.wlz.kuport.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/** The image that the cluster's pods and their sandboxes are made of: one static program, {@code workload.c}. */
final class WorkloadImage {
    static final String REPOSITORY = "lab.local/workload";
    static final String NAME = REPOSITORY + ":1";

    private WorkloadImage() {}

    /**
     * Compiles the program and packs it.
     *
     * @param folder an empty one
     * @return an archive that {@code ctr images import} takes
     */
    static Path build(Path folder) {
        try {
            Path root = Files.createDirectories(folder.resolve("root"));
            Path source = folder.resolve("workload.c");
            try (InputStream text = Objects.requireNonNull(WorkloadImage.class.getResourceAsStream("workload.c"))) {
                Files.copy(text, source, StandardCopyOption.REPLACE_EXISTING);
            }
            Program.run(
                    "gcc",
                    "-static",
                    "-s",
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-o",
                    root.resolve("workload").toString(),
                    source.toString());
            pack(root, folder.resolve("layer.tar"), ".");
            Files.writeString(
                    folder.resolve("config.json"), """
                    {"architecture": "%s", "os": "linux", "config": {"Entrypoint": ["/workload"]},
                     "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}
                    """.formatted(architecture(), sha256(folder.resolve("layer.tar"))));
            Files.writeString(folder.resolve("manifest.json"), """
                    [{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]
                    """.formatted(NAME));
            Path archive = folder.resolve("workload.tar");
            pack(folder, archive, "manifest.json", "config.json", "layer.tar");
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the image " + NAME, e);
        }
    }

    private static void pack(Path folder, Path archive, String... files) {
        String[] tar = {
            "tar",
            "--sort=name",
            "--mtime=@0",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--format=ustar",
            "-C",
            folder.toString(),
            "-cf",
            archive.toString()
        };
        String[] command = java.util.Arrays.copyOf(tar, tar.length + files.length);
        System.arraycopy(files, 0, command, tar.length, files.length);
        Program.run(command);
    }

    /** As Go names it. */
    private static String architecture() {
        String name = System.getProperty("os.arch", "amd64");
        return name.equals("aarch64") ? "arm64" : name;
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
