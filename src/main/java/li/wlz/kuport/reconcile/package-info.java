/** The heartbeat: marks the world dirty, waits for quiet, runs a pass, backs off, tells the outcome. */
@NullMarked
package li.wlz.kuport.reconcile;

import org.jspecify.annotations.NullMarked;
