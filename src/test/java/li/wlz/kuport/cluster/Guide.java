package li.wlz.kuport.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A document of docs/, whose commands are run as a person would who types them from top to bottom: its blocks of {@code sh}. */
final class Guide {
    /** A block may be a part of a list, and is then indented. */
    private static final Pattern BLOCK = Pattern.compile("(?m)^( *)```sh\n(.*?)^ *```$", Pattern.DOTALL);

    private final KubernetesCluster cluster;
    private final String text;

    private Guide(KubernetesCluster cluster, String text) {
        this.cluster = cluster;
        this.text = text;
    }

    static Guide of(KubernetesCluster cluster, String document) {
        try {
            return new Guide(cluster, Files.readString(Path.of("docs", document)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs the commands of a chapter in the release's folder, after those before the first chapter, which set variables.
     *
     * @param heading as it is written, without its number signs
     * @return what they printed
     * @throws IllegalStateException if one fails
     */
    String follow(String heading) {
        int begin = text.indexOf("\n## " + heading + "\n");
        if (begin < 0) {
            throw new IllegalArgumentException("there is no chapter " + heading);
        }
        int next = text.indexOf("\n## ", begin + 1);
        String chapter = commands(next < 0 ? text.substring(begin) : text.substring(begin, next));
        if (chapter.isEmpty()) {
            throw new IllegalArgumentException("there is no command in chapter " + heading);
        }
        return Program.run(
                "env",
                "KUBECONFIG=" + cluster.kubeconfig().toAbsolutePath(),
                "PATH=" + cluster.kubectl().getParent() + ":" + Kuport.helm().getParent() + ":" + System.getenv("PATH"),
                "bash",
                "-euo",
                "pipefail",
                "-c",
                "cd target/release\n" + commands(text.substring(0, text.indexOf("\n## "))) + chapter);
    }

    private static String commands(String part) {
        return BLOCK.matcher(part)
                .results()
                .map(block -> block.group(2).replaceAll("(?m)^" + block.group(1), ""))
                .collect(Collectors.joining());
    }
}
