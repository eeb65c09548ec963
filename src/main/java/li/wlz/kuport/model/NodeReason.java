package li.wlz.kuport.model;

/** Why a node is not fully able to do its part. Each is explained in docs/troubleshooting.md. */
public enum NodeReason {
    PermissionMissing,
    NftablesUnavailable,
    VxlanUnavailable,
    LinkDown,
    UnderlayUnknown,
    LinkAddressCollision,
    LinkMtuTooSmall,
    LinkSettingsDiffer,
    IndicesExhausted,
    ForwardingDisabled,
    ReversePathFilter,
    RulePrecedence,
    ConntrackFull,
    RoutingUnavailable,
    Ipv6Unavailable,
    AddressNotOnNode,
    ForeignDrop,
    EarlyMasquerade,
    NoTrack,
    MarkClash,
    ForeignController,
    RulesLeft
}
