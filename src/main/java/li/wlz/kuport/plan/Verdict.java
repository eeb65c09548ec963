package li.wlz.kuport.plan;

import li.wlz.kuport.model.AcceptedReason;

/**
 * Whether a PortMap is accepted, and why not.
 *
 * @param message for a person
 */
record Verdict(AcceptedReason reason, String message) {
    boolean accepted() {
        return reason == AcceptedReason.Valid;
    }

    /** Whether the mapping holds its ports against younger ones, so that a rollout hands them to nobody else. */
    boolean claims() {
        return switch (reason) {
            case Valid, ServiceNotFound, ServicePortNotFound, RangeTranslation -> true;
            case ClassNotFound,
                    InvalidPortRange,
                    NamespaceNotSelected,
                    PortOutOfRange,
                    PortReserved,
                    InterfaceNotInClass,
                    PortConflict -> false;
        };
    }
}
