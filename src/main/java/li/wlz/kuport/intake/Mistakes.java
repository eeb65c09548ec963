package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.List;
import li.wlz.kuport.model.Problem;

/** Collects the mistakes in one object. */
final class Mistakes {
    private final String origin;
    private final String object;
    private final List<Problem> problems = new ArrayList<>();

    /**
     * Starts with none.
     *
     * @param object its kind and key, {@code PortMap games/gameserver}
     */
    Mistakes(String origin, String object) {
        this.origin = origin;
        this.object = object;
    }

    /**
     * Notes a mistake.
     *
     * @param message what is wrong and what would be right; the field is named before it
     */
    void add(String field, String message) {
        problems.add(new Problem(origin, object, field, message));
    }

    int count() {
        return problems.size();
    }

    String origin() {
        return origin;
    }

    List<Problem> problems() {
        return List.copyOf(problems);
    }
}
