package li.wlz.kuport.intake;

import java.util.regex.Pattern;

/** Which names may be used: they end up in nft scripts, file names and messages. */
final class Names {
    static final String OBJECT_NAME_RULE =
            "names have lower case letters, digits, - and ., begin and end with a letter or digit, and are at most 253 long";
    static final String LABEL_NAME_RULE =
            "it has lower case letters, digits and -, begins and ends with a letter or digit, and is at most 63 long";
    static final String INTERFACE_RULE = "interfaces have 1 to 15 letters, digits, and _ . @ + -";

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern LABEL_OF_ANY_LENGTH = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.@+-]{1,15}");
    private static final Pattern QUALIFIED = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");

    private Names() {}

    /** A DNS subdomain (RFC 1123), as Kubernetes asks of most objects' names. */
    static boolean isObjectName(String name) {
        if (name.length() > 253) {
            return false;
        }
        for (String label : name.split("\\.", -1)) {
            if (!LABEL_OF_ANY_LENGTH.matcher(label).matches()) {
                return false;
            }
        }
        return true;
    }

    /** A DNS label (RFC 1123), as Kubernetes asks of the names of namespaces, Services and ports. */
    static boolean isLabelName(String name) {
        return LABEL.matcher(name).matches();
    }

    /** Whether the kernel can have an interface of that name, and nft takes it for nothing else. */
    static boolean isInterface(String name) {
        return INTERFACE.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    /** The key of a label: a name of at most 63 characters, perhaps after a DNS subdomain and a slash. */
    static boolean isLabelKey(String key) {
        int slash = key.indexOf('/');
        return (slash < 0 || isObjectName(key.substring(0, slash)))
                && QUALIFIED.matcher(key.substring(slash + 1)).matches();
    }

    static boolean isLabelValue(String value) {
        return value.isEmpty() || QUALIFIED.matcher(value).matches();
    }
}
