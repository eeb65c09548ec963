package li.wlz.kuport.plan;

import java.util.List;

/**
 * The accepting nodes that forward a mapping.
 *
 * @param nodes by name; empty where the class has no accepting node for it
 * @param healthy whether they can be counted on. Where none can, the one that would serve goes on doing so: its rules may
 *     still work, and nobody else's would
 */
record Serving(List<String> nodes, boolean healthy) {
    static final Serving NOBODY = new Serving(List.of(), false);

    Serving {
        nodes = List.copyOf(nodes);
    }
}
