package li.wlz.kuport.model;

/**
 * A mistake in what a user wrote.
 *
 * @param origin the file it stands in; empty where it comes from the API server
 * @param object kind and name, {@code PortMap games/gameserver}; empty where not even that could be read
 * @param field the path of the field, {@code spec.port}; empty where it is the whole object
 * @param message what is wrong and what would be right
 */
public record Problem(String origin, String object, String field, String message) {
    /** {@code web.yaml: PortMap games/web: spec.port: 70000 is not a port; ports are 1 to 65535}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String part : new String[] {origin, object, field}) {
            if (!part.isEmpty()) {
                text.append(part).append(": ");
            }
        }
        return text.append(message).toString();
    }
}
