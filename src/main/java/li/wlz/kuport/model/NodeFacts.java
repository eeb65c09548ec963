package li.wlz.kuport.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What this node's kernel has, as far as decisions depend on it. Printed by {@code kuport facts}, read by {@code --facts}.
 *
 * @param interfaces all of them, by name
 * @param routes the routes of table main that leave by an interface, and blocks made local by a route on a loopback device
 * @param listeners the host's bound TCP and UDP sockets
 * @param indices the indices of marks that are taken
 * @param opened what our ruleset delivers at the moment: a listener that came later does not close it
 * @param problems what the kernel lacks or denies us
 */
public record NodeFacts(
        List<NetworkInterface> interfaces,
        List<InterfaceRoute> routes,
        List<Listener> listeners,
        MarkIndices indices,
        SortedSet<Dialled> opened,
        Sysctls sysctls,
        List<NodeProblem> problems) {

    public NodeFacts {
        interfaces = List.copyOf(interfaces);
        routes = List.copyOf(routes);
        listeners = List.copyOf(listeners);
        opened = Sorted.copyOf(opened);
        problems = List.copyOf(problems);
    }

    /** The interface of that name. */
    public Optional<NetworkInterface> networkInterface(String name) {
        return interfaces.stream().filter(i -> i.name().equals(name)).findFirst();
    }

    /** The interface that holds the address. */
    public Optional<NetworkInterface> holderOf(IpAddress address) {
        return interfaces.stream().filter(i -> i.holds(address)).findFirst();
    }

    /** These facts with one more problem. */
    public NodeFacts with(NodeProblem problem) {
        List<NodeProblem> more = new ArrayList<>(problems);
        more.add(problem);
        return new NodeFacts(interfaces, routes, listeners, indices, opened, sysctls, more);
    }

    /** These facts with what was read back from our own ruleset and routes. */
    public NodeFacts with(MarkIndices indices, SortedSet<Dialled> opened) {
        return new NodeFacts(interfaces, routes, listeners, indices, opened, sysctls, problems);
    }
}
