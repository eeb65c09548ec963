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
            String field, io.fabric8.kubernetes.api.model.LabelSelector selector, Findings findings) {
        // One that is misspelt would be no restriction at all.
        boolean known = checkedNames(
                field, selector.getAdditionalProperties(), "a selector has matchLabels and matchExpressions", findings);
        Map<String, String> labels = labels(field + ".matchLabels", Written.map(selector.getMatchLabels()), findings);
        List<Expression> expressions =
                expressions(field + ".matchExpressions", Written.list(selector.getMatchExpressions()), findings);
        return !known || labels == null || expressions == null ? null : new LabelSelector(labels, expressions);
    }

    private static @Nullable Map<String, String> labels(
            String field, Map<String, ? extends @Nullable String> labels, Findings findings) {
        Map<String, String> read = new TreeMap<>();
        labels.forEach((key, value) -> {
            boolean right = checkedKey(field, key, findings);
            right &= checkedValue(field + "[" + Text.shown(key) + "]", value, findings);
            if (right && value != null) {
                read.put(key, value);
            }
        });
        return read.size() == labels.size() ? read : null;
    }

    private static @Nullable List<Expression> expressions(
            String field, List<? extends @Nullable LabelSelectorRequirement> requirements, Findings findings) {
        List<Expression> read = new ArrayList<>();
        for (int i = 0; i < requirements.size(); i++) {
            Expression expression = expression(field + "[" + i + "]", requirements.get(i), findings);
            if (expression != null) {
                read.add(expression);
            }
        }
        return read.size() == requirements.size() ? read : null;
    }

    private static @Nullable Expression expression(
            String field, @Nullable LabelSelectorRequirement requirement, Findings findings) {
        if (requirement == null) {
            findings.add(field, "is empty; it needs key and operator");
            return null;
        }
        boolean right = checkedNames(
                field, requirement.getAdditionalProperties(), "an expression has key, operator and values", findings);
        Operator operator = operator(field + ".operator", requirement.getOperator(), findings);
        List<? extends @Nullable String> values = Written.list(requirement.getValues());
        right &= checkedKey(field + ".key", requirement.getKey(), findings);
        for (int i = 0; i < values.size(); i++) {
            right &= checkedValue(field + ".values[" + i + "]", values.get(i), findings);
        }
        if (!right || operator == null) {
            return null;
        }
        boolean needsValues = switch (operator) {
            case In, NotIn -> true;
            case Exists, DoesNotExist -> false;
        };
        if (needsValues == values.isEmpty()) {
            findings.add(
                    field + ".values",
                    needsValues
                            ? "is empty; " + operator + " needs at least one value"
                            : "must be empty; " + operator + " asks for the label alone");
            return null;
        }
        return new Expression(requirement.getKey(), operator, requirement.getValues());
    }

    private static @Nullable Operator operator(String field, @Nullable String name, Findings findings) {
        for (Operator operator : Operator.values()) {
            if (operator.name().equals(name)) {
                return operator;
            }
        }
        findings.add(
                field,
                (name == null ? "is missing" : Text.quoted(name) + " is not an operator")
                        + "; write In, NotIn, Exists or DoesNotExist");
        return null;
    }

    private static boolean checkedNames(
            String field, @Nullable Map<String, Object> others, String right, Findings findings) {
        if (others == null || others.isEmpty()) {
            return true;
        }
        others.keySet().forEach(name -> findings.add(field + "." + Text.shown(name), "unknown field; " + right));
        return false;
    }

    private static boolean checkedKey(String field, @Nullable String key, Findings findings) {
        if (key != null && Names.isLabelKey(key)) {
            return true;
        }
        findings.add(
                field,
                (key == null ? "is missing" : Text.quoted(key) + " is not the key of a label")
                        + "; keys look like role or example.org/role");
        return false;
    }

    private static boolean checkedValue(String field, @Nullable String value, Findings findings) {
        if (value != null && Names.isLabelValue(value)) {
            return true;
        }
        findings.add(
                field,
                (value == null ? "has no value" : Text.quoted(value) + " is not the value of a label")
                        + "; values have letters, digits, - _ and ., at most 63, and quotes where YAML needs them");
        return false;
    }
}
