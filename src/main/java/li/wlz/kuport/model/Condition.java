package li.wlz.kuport.model;

/**
 * A condition of an object's status.
 *
 * @param type {@code Accepted}, {@code Programmed} or {@code Ready}
 * @param reason in CamelCase
 * @param message what a person can act on; never empty
 */
public record Condition(String type, boolean status, String reason, String message) {
    public static final String ACCEPTED = "Accepted";
    public static final String PROGRAMMED = "Programmed";
    public static final String READY = "Ready";
}
