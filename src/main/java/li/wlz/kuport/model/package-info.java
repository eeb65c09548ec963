/** The values that everything else speaks in: addresses, ports, marks, mappings, node facts and node plans. */
@NullMarked
package li.wlz.kuport.model;

import org.jspecify.annotations.NullMarked;
