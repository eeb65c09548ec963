package li.wlz.kuport.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The text of one document of a YAML file.
 *
 * @param line the line of the file that it begins on, from 1
 */
record YamlDocument(int line, String text) {
    /** Nothing but blank lines, comments, directives and markers. */
    private static final Pattern EMPTY =
            Pattern.compile("(?:[ \\t]*(?:#.*)?|%.*|---[ \\t]*(?:#.*)?|\\.\\.\\.[ \\t]*(?:#.*)?)");

    /**
     * Cuts a file into its documents, leaving out empty ones. A line that begins with {@code ---} begins a document wherever it
     * stands (YAML 1.2, 9.1.2), so that this needs no parser, and a document that is broken does not hide those after it.
     */
    static List<YamlDocument> split(String file) {
        List<YamlDocument> documents = new ArrayList<>();
        int start = 0;
        int startLine = 1;
        int line = 1;
        for (int at = 0; at < file.length(); line++) {
            if (at > start && isMarker(file, at)) {
                add(documents, startLine, file.substring(start, at));
                start = at;
                startLine = line;
            }
            int end = file.indexOf('\n', at);
            at = end < 0 ? file.length() : end + 1;
        }
        add(documents, startLine, file.substring(start));
        return documents;
    }

    private static boolean isMarker(String file, int at) {
        return file.startsWith("---", at) && (at + 3 == file.length() || Character.isWhitespace(file.charAt(at + 3)));
    }

    private static void add(List<YamlDocument> documents, int line, String text) {
        if (!text.lines().allMatch(l -> EMPTY.matcher(l).matches())) {
            documents.add(new YamlDocument(line, text));
        }
    }
}
