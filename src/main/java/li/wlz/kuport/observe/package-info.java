/** Metrics and health, fed by outcomes. */
@NullMarked
package li.wlz.kuport.observe;

import org.jspecify.annotations.NullMarked;
