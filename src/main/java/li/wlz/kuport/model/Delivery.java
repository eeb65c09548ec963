package li.wlz.kuport.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the packets of one {@link Dialled}.
 *
 * @param target where new flows go; null refuses them at once, with a TCP reset or a port unreachable
 * @param draining former targets that still serve: TCP connections to them may go on
 */
public record Delivery(@Nullable Target target, List<Target> draining) {
    public Delivery {
        draining = List.copyOf(draining);
    }

    public static Delivery to(Target target) {
        return new Delivery(target, List.of());
    }

    public static Delivery refuse() {
        return new Delivery(null, List.of());
    }
}
