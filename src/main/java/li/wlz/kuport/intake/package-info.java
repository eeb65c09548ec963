/** Checks each resource as users wrote it and turns it into values and problems. */
@NullMarked
package li.wlz.kuport.intake;

import org.jspecify.annotations.NullMarked;
