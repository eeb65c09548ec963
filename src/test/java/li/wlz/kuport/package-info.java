/** The house as a whole: its architecture and its stories. */
@NullMarked
package li.wlz.kuport;

import org.jspecify.annotations.NullMarked;
