package li.wlz.kuport.nft;

/**
 * What makes a chain a base chain: {@code type filter hook prerouting priority -120; policy accept;}.
 *
 * @param type {@code filter}, {@code nat} or {@code route}; empty for {@link #NONE}
 * @param hook {@code prerouting}, {@code input}, {@code forward}, {@code output} or {@code postrouting}
 * @param priority where it sorts among the chains of its hook, lowest first
 * @param policy what becomes of a packet that reaches the chain's end
 */
public record Hook(String type, String hook, int priority, String policy) {
    /** A chain that packets only reach by a jump. */
    public static final Hook NONE = new Hook("", "", 0, "");

    /** A base chain that lets pass what its rules do not decide. */
    public static Hook accepting(String type, String hook, int priority) {
        return new Hook(type, hook, priority, "accept");
    }

    /** The declaration as nft reads it; empty for {@link #NONE}. */
    String declaration() {
        return equals(NONE)
                ? ""
                : "type " + type + " hook " + hook + " priority " + priority + "; policy " + policy + ";";
    }
}
