/** The brain: from what is asked for and what the node has to what this node should do and say. */
@NullMarked
package li.wlz.kuport.plan;

import org.jspecify.annotations.NullMarked;
