/** The front door: picocli commands, and the only place where the parts are wired together. */
@NullMarked
package li.wlz.kuport.cli;

import org.jspecify.annotations.NullMarked;
