package li.wlz.kuport.model;

import java.util.List;
import java.util.Map;

/** A Kubernetes label selector: all labels and all expressions must hold; one without any matches everything. */
public record LabelSelector(Map<String, String> matchLabels, List<Expression> matchExpressions) {
    public static final LabelSelector EVERYTHING = new LabelSelector(Map.of(), List.of());

    public LabelSelector {
        matchLabels = Sorted.copyOf(matchLabels);
        matchExpressions = List.copyOf(matchExpressions);
    }

    public boolean matches(Map<String, String> labels) {
        return matchLabels.entrySet().stream().allMatch(e -> e.getValue().equals(labels.get(e.getKey())))
                && matchExpressions.stream().allMatch(e -> e.matches(labels));
    }

    /** The operators of Kubernetes' label selector requirements. */
    public enum Operator {
        In,
        NotIn,
        Exists,
        DoesNotExist
    }

    /** One requirement. As in Kubernetes, NotIn holds for an object without the label. */
    public record Expression(String key, Operator operator, List<String> values) {
        public Expression {
            values = List.copyOf(values);
        }

        boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case In -> value != null && values.contains(value);
                case NotIn -> value == null || !values.contains(value);
                case Exists -> value != null;
                case DoesNotExist -> value == null;
            };
        }
    }
}
