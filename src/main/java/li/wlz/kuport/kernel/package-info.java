/** The hands and senses on one node: applies changes, reads facts and watches nftables, rtnetlink, conntrack, sockets and sysctls. */
@NullMarked
package li.wlz.kuport.kernel;

import org.jspecify.annotations.NullMarked;
