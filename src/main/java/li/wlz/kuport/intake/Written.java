package li.wlz.kuport.intake;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands for a list or a map in JSON: it may be absent, and null may be among its items. */
final class Written {
    private Written() {}

    static <T> List<? extends @Nullable T> list(@Nullable List<? extends @Nullable T> list) {
        return list == null ? List.of() : list;
    }

    static <T> Map<String, ? extends @Nullable T> map(@Nullable Map<String, ? extends @Nullable T> map) {
        return map == null ? Map.of() : map;
    }
}
