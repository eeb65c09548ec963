/** Measurements that anyone can run: {@code make bench}. Nothing here is asserted; docs/datapath.md has the figures. */
@NullMarked
package li.wlz.kuport.benchmark;

import org.jspecify.annotations.NullMarked;
