/** The seams between the heartbeat and the outside: source, node and reporter. */
@NullMarked
package li.wlz.kuport.reconcile.spi;

import org.jspecify.annotations.NullMarked;
