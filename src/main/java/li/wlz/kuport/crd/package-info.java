/** What users write: the custom resources of group kuport.wlz.li, without logic. */
@NullMarked
package li.wlz.kuport.crd;

import org.jspecify.annotations.NullMarked;
