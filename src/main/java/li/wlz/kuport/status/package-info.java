/** Decisions in the shape in which users read them: the statuses of the custom resources. */
@NullMarked
package li.wlz.kuport.status;

import org.jspecify.annotations.NullMarked;
