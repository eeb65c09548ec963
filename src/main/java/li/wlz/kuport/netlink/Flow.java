package li.wlz.kuport.netlink;

import li.wlz.kuport.model.IpAddress;

/**
 * An entry of the connection tracking table, as {@code conntrack -L -o id} prints it.
 *
 * @param protocol the number in the IP header; only TCP and UDP have ports
 * @param original the tuple of the packet that opened it: what was dialled
 * @param reply the tuple that answers bear: its source is where the packets are really sent
 * @param mark the connection mark
 * @param status IPS_* of linux/netfilter/nf_conntrack_common.h
 * @param id the kernel's id of the entry, for deleting just this one
 */
public record Flow(int protocol, Tuple original, Tuple reply, int mark, int status, int id) {
    /** IPS_DST_NAT. */
    public static final int DST_NAT = 1 << 5;

    /** Whether the destination was rewritten. */
    public boolean translated() {
        return (status & DST_NAT) != 0;
    }

    /** One direction. Ports are 0 for protocols without. */
    public record Tuple(IpAddress source, IpAddress destination, int sourcePort, int destinationPort) {}
}
