/** The seams between the heartbeat and the outside: source, node, reporter and clock. */
@NullMarked
package li.wlz.kuport.reconcile.spi;

import org.jspecify.annotations.NullMarked;
