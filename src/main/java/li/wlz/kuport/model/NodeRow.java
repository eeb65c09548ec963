package li.wlz.kuport.model;

import org.jspecify.annotations.Nullable;

/**
 * What one node says of its part in a mapping: a row of {@code status.nodes}.
 *
 * @param endpoint the address delivered to; null without one
 * @param reason why it is not ready; null where it is
 * @param message the reason in a sentence; where it is ready a remark, mostly empty
 */
public record NodeRow(
        String node,
        Role role,
        boolean ready,
        @Nullable IpAddress endpoint,
        long observedGeneration,
        @Nullable ProgrammedReason reason,
        String message) {
    /** The parts that a node may have. One that does both is {@link #Accepting}. */
    public enum Role {
        Accepting,
        Endpoint
    }
}
