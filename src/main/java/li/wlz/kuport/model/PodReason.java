package li.wlz.kuport.model;

/** What became of a pod's annotation, or of one entry of it: the reason of the pod's Event. */
public enum PodReason {
    Delivered,
    AnnotationInvalid,
    HostNetworkPod,
    NotPermitted,
    AddressMissing,
    PortConflict,
    PortInUse,
    PodNotReady,
    NodeNotReady
}
