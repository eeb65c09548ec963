/** Stories: a folder of manifests and facts each, with what every node plans for it; read as goldens, and put into a real kernel. */
@NullMarked
package li.wlz.kuport.story;

import org.jspecify.annotations.NullMarked;
