package li.wlz.kuport.nft;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A rule of a chain.
 *
 * @param text the rule as nft reads it, without the comment
 * @param comment why it is there, and a hash of the text: {@code only nodes speak on the link #4fa1c2}. It is what a listing is
 *     compared by, since the kernel prints expressions in words of its own
 */
public record Rule(String text, String comment) {
    /** NFTNL_UDATA_COMMENT_MAXLEN of libnftnl. */
    private static final int MAX_COMMENT = 128;

    private static final int HASH_BYTES = 3;

    public Rule {
        if (comment.length() > MAX_COMMENT || comment.indexOf('"') >= 0) {
            throw new IllegalArgumentException(
                    "a comment has at most " + MAX_COMMENT + " characters and no quotes: " + comment);
        }
    }

    /** A rule that explains itself. */
    public static Rule of(String text) {
        return new Rule(text, "#" + hash(text));
    }

    /** A rule with the reason for it, which a listing then shows. */
    public static Rule of(String text, String reason) {
        return new Rule(text, reason + " #" + hash(text));
    }

    /** The first six hexadecimal digits of a text's SHA-256. */
    public static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /** The rule with its comment. */
    @Override
    public String toString() {
        return text + " comment \"" + comment + "\"";
    }
}
