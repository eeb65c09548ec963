/** Eyes and mouth on a folder of YAML files: watched, read into resources, statuses written beside it. */
@NullMarked
package li.wlz.kuport.manifest;

import org.jspecify.annotations.NullMarked;
