package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.IntOrString;
import li.wlz.kuport.model.PortRange;
import org.jspecify.annotations.Nullable;

/** Reads port numbers and ranges. */
final class Ports {
    static final String RULE = "ports are 1 to 65535";

    private Ports() {}

    static boolean isPort(int number) {
        return number >= 1 && number <= 65535;
    }

    /** A number, or a range such as 9000-9100; null with a problem noted where it is neither. */
    static @Nullable PortRange range(String field, @Nullable IntOrString port, Mistakes mistakes) {
        String text = port == null ? "" : text(port);
        try {
            return PortRange.parse(text);
        } catch (IllegalArgumentException e) {
            mistakes.add(
                    field,
                    (text.isEmpty() ? "is empty" : Text.quoted(text) + " is neither a port nor a range")
                            + "; write a number such as 8080 or a range such as 9000-9100, " + RULE);
            return null;
        }
    }

    /** The number in decimal, or the text; empty where there is neither. */
    static String text(IntOrString port) {
        Integer number = port.getIntVal();
        if (number != null) {
            return number.toString();
        }
        String text = port.getStrVal();
        return text == null ? "" : text;
    }
}
