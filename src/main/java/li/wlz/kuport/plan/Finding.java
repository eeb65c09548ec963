package li.wlz.kuport.plan;

import java.util.Comparator;
import li.wlz.kuport.model.ProgrammedReason;

/**
 * Why a mapping does not work, or not on one node.
 *
 * @param message for a person
 */
record Finding(ProgrammedReason reason, String message) {
    /** The one to tell first: causes before what follows from them. */
    static final Comparator<Finding> MOST_TELLING = Comparator.comparing(Finding::reason);
}
