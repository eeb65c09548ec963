/** Rtnetlink, conntrack and socket diagnosis messages to bytes and back. */
@NullMarked
package li.wlz.kuport.netlink;

import org.jspecify.annotations.NullMarked;
