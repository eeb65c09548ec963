package li.wlz.kuport.model;

/** The reasons of a PortMap's condition Programmed, and of a node's row. */
public enum ProgrammedReason {
    AllNodesReady,
    NoAcceptingNode,
    NoReadyEndpoint,
    EndpointUnsupported,
    NoInterfaceOnNode,
    ReturnPathUnavailable,
    PortInUse,
    ForwardingBlocked,
    NodeNotReady
}
