package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.LabelSelector.Expression;
import li.wlz.kuport.model.LabelSelector.Operator;
import org.jspecify.annotations.Nullable;

/** Reads label selectors. */
final class Selectors {
    private Selectors() {}

    /** The selector; null with a problem noted where a part of it is wrong, since the rest alone would match more. */
    static @Nullable LabelSelector read(
            String field, io.fabric8.kubernetes.api.model.LabelSelector selector, Mistakes mistakes) {
        // One that is misspelt would be no restriction at all.
        boolean known = checkedNames(
                field, selector.getAdditionalProperties(), "a selector has matchLabels and matchExpressions", mistakes);
        Map<String, String> labels = labels(field + ".matchLabels", Written.map(selector.getMatchLabels()), mistakes);
        List<Expression> expressions =
                expressions(field + ".matchExpressions", Written.list(selector.getMatchExpressions()), mistakes);
        return !known || labels == null || expressions == null ? null : new LabelSelector(labels, expressions);
    }

    private static @Nullable Map<String, String> labels(
            String field, Map<String, ? extends @Nullable String> labels, Mistakes mistakes) {
        Map<String, String> read = new TreeMap<>();
        labels.forEach((key, value) -> {
            boolean right = checkedKey(field, key, mistakes);
            right &= checkedValue(field + "[" + Text.shown(key) + "]", value, mistakes);
            if (right && value != null) {
                read.put(key, value);
            }
        });
        return read.size() == labels.size() ? read : null;
    }

    private static @Nullable List<Expression> expressions(
            String field, List<? extends @Nullable LabelSelectorRequirement> requirements, Mistakes mistakes) {
        List<Expression> read = new ArrayList<>();
        for (int i = 0; i < requirements.size(); i++) {
            Expression expression = expression(field + "[" + i + "]", requirements.get(i), mistakes);
            if (expression != null) {
                read.add(expression);
            }
        }
        return read.size() == requirements.size() ? read : null;
    }

    private static @Nullable Expression expression(
            String field, @Nullable LabelSelectorRequirement requirement, Mistakes mistakes) {
        if (requirement == null) {
            mistakes.add(field, "is empty; it needs key and operator");
            return null;
        }
        boolean right = checkedNames(
                field, requirement.getAdditionalProperties(), "an expression has key, operator and values", mistakes);
        Operator operator = operator(field + ".operator", requirement.getOperator(), mistakes);
        List<? extends @Nullable String> values = Written.list(requirement.getValues());
        right &= checkedKey(field + ".key", requirement.getKey(), mistakes);
        for (int i = 0; i < values.size(); i++) {
            right &= checkedValue(field + ".values[" + i + "]", values.get(i), mistakes);
        }
        if (!right || operator == null) {
            return null;
        }
        boolean needsValues = switch (operator) {
            case In, NotIn -> true;
            case Exists, DoesNotExist -> false;
        };
        if (needsValues == values.isEmpty()) {
            mistakes.add(
                    field + ".values",
                    needsValues
                            ? "is empty; " + operator + " needs at least one value"
                            : "must be empty; " + operator + " asks for the label alone");
            return null;
        }
        return new Expression(requirement.getKey(), operator, requirement.getValues());
    }

    private static @Nullable Operator operator(String field, @Nullable String name, Mistakes mistakes) {
        for (Operator operator : Operator.values()) {
            if (operator.name().equals(name)) {
                return operator;
            }
        }
        mistakes.add(
                field,
                (name == null ? "is missing" : Text.quoted(name) + " is not an operator")
                        + "; write In, NotIn, Exists or DoesNotExist");
        return null;
    }

    private static boolean checkedNames(
            String field, @Nullable Map<String, Object> others, String right, Mistakes mistakes) {
        if (others == null || others.isEmpty()) {
            return true;
        }
        others.keySet().forEach(name -> mistakes.add(field + "." + Text.shown(name), "unknown field; " + right));
        return false;
    }

    private static boolean checkedKey(String field, @Nullable String key, Mistakes mistakes) {
        if (key != null && Names.isLabelKey(key)) {
            return true;
        }
        mistakes.add(
                field,
                (key == null ? "is missing" : Text.quoted(key) + " is not the key of a label")
                        + "; keys look like role or example.org/role");
        return false;
    }

    private static boolean checkedValue(String field, @Nullable String value, Mistakes mistakes) {
        if (value != null && Names.isLabelValue(value)) {
            return true;
        }
        mistakes.add(
                field,
                (value == null ? "has no value" : Text.quoted(value) + " is not the value of a label")
                        + "; values have letters, digits, - _ and ., at most 63, and quotes where YAML needs them");
        return false;
    }
}
