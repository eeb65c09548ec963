/** The only door to C: libc's sockets and namespaces, and libnftables. */
@NullMarked
package li.wlz.kuport.ffm;

import org.jspecify.annotations.NullMarked;
