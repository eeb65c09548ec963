/** Decisions as the statuses of the objects that they are about, for whoever writes them: a cluster, files. */
@NullMarked
package li.wlz.kuport.status;

import org.jspecify.annotations.NullMarked;
