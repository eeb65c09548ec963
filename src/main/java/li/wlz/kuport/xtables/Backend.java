package li.wlz.kuport.xtables;

/** The two kernels' sides that iptables may write to; a node's other rules live in one of them. */
public enum Backend {
    /** nf_tables: {@code iptables-nft}. */
    nft,
    /** ip_tables, the older one: {@code iptables-legacy}. */
    legacy
}
