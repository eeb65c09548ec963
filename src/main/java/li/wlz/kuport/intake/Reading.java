package li.wlz.kuport.intake;

import java.util.List;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.World.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * What was made of one object.
 *
 * @param origin where it was read from
 * @param key null where it has no name that can be used
 * @param value null where it could not be made one
 * @param refusal what its status gets instead; null where it has a value, or where no reason fits
 */
record Reading<T>(
        String origin,
        @Nullable ObjectKey key,
        @Nullable T value,
        @Nullable Refusal refusal,
        List<Problem> problems) {

    static <T> Reading<T> of(String origin, @Nullable ObjectKey key, @Nullable T value, Mistakes mistakes) {
        return new Reading<>(origin, key, value, null, mistakes.problems());
    }
}
