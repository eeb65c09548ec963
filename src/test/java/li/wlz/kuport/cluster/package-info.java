/** A real Kubernetes on top of the lab's world, and the tests that run in it. */
@NullMarked
package li.wlz.kuport.cluster;

import org.jspecify.annotations.NullMarked;
