package li.wlz.kuport.model;

/** The reasons of a PortMap's condition Accepted, in the order in which they are looked for. */
public enum AcceptedReason {
    Valid,
    ClassNotFound,
    InvalidPortRange,
    NamespaceNotSelected,
    PortOutOfRange,
    PortReserved,
    InterfaceNotInClass,
    ServiceNotFound,
    ServicePortNotFound,
    RangeTranslation,
    PortConflict
}
