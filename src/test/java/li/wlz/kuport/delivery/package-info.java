/** Kernel tests of the whole: manifests in, real packets through real nodes, what client and pod saw out. */
@NullMarked
package li.wlz.kuport.delivery;

import org.jspecify.annotations.NullMarked;
