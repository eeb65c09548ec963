/** Answers people's questions from the values of a pass: what is planned, what the node looks like. */
@NullMarked
package li.wlz.kuport.inspect;

import org.jspecify.annotations.NullMarked;
