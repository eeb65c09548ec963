/** Tests of what people install: the image, the manifests, the chart and the release. */
@NullMarked
package li.wlz.kuport.ship;

import org.jspecify.annotations.NullMarked;
