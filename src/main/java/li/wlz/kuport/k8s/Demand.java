package li.wlz.kuport.k8s;

import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/**
 * What an agent needs of a cluster: nothing else is watched, and no permission for it asked.
 *
 * @param portMaps whether PortMaps are served, and so all that they lead to
 * @param classes whether PortMapClasses count
 * @param podsOf the node whose pods are watched for their annotation; null for none
 * @param annotation its name
 */
public record Demand(
        boolean portMaps, boolean classes, @Nullable String podsOf, String annotation) {
    /** PortMaps, and no pods. */
    public static final Demand PORT_MAPS = new Demand(true, true, null, "");

    /** What an agent with these settings needs. */
    public static Demand of(Settings settings) {
        PodAnnotations annotations = settings.podAnnotations();
        return annotations == null
                ? PORT_MAPS
                : new Demand(
                        !annotations.alone(),
                        !annotations.alone() || annotations.className() != null,
                        settings.nodeName(),
                        annotations.key());
    }

    /** Whether the cluster's Nodes must be known; if not, they are used where they may be read. */
    boolean needsNodes() {
        return classes;
    }
}
