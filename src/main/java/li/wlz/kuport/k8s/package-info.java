/** Eyes and mouth in a cluster: informers to resources, outcomes to statuses and events. */
@NullMarked
package li.wlz.kuport.k8s;

import org.jspecify.annotations.NullMarked;
