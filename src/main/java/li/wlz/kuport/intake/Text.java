package li.wlz.kuport.intake;

import java.util.regex.Pattern;

/** Shows what users wrote, in messages. */
final class Text {
    private static final int LONGEST = 80;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private Text() {}

    /** In quotes, shortened, without control characters: a message is one line. */
    static String quoted(String text) {
        return "\"" + shown(text) + "\"";
    }

    /** As {@link #quoted}, without the quotes. */
    static String shown(String text) {
        String cut = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
        return CONTROL.matcher(cut).replaceAll("?");
    }
}
