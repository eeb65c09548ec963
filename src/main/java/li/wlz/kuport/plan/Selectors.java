package li.wlz.kuport.plan;

import li.wlz.kuport.model.LabelSelector;
import org.jspecify.annotations.Nullable;

/** Kubernetes' rules on label selectors that their shape does not show. */
final class Selectors {
    private Selectors() {}

    /** What is wrong with a selector, in a sentence; null where it is right. */
    static @Nullable String mistake(LabelSelector selector) {
        for (LabelSelector.Expression expression : selector.matchExpressions()) {
            String operator = expression.operator() + " on " + expression.key();
            switch (expression.operator()) {
                case In, NotIn -> {
                    if (expression.values().isEmpty()) {
                        return operator + " needs values";
                    }
                }
                case Exists, DoesNotExist -> {
                    if (!expression.values().isEmpty()) {
                        return operator + " takes no values";
                    }
                }
            }
        }
        return null;
    }
}
