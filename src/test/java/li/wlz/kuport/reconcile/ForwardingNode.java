package li.wlz.kuport.reconcile;

import java.util.List;
import java.util.function.Predicate;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.xtables.Restore;

/** A node that passes everything on to another, which stays whose it was; for tests that change some of it. */
public abstract class ForwardingNode implements Node {
    private final Node node;

    protected ForwardingNode(Node node) {
        this.node = node;
    }

    @Override
    public void start(Runnable dirty) {
        node.start(dirty);
    }

    @Override
    public Observation observe() {
        return node.observe();
    }

    @Override
    public void distrust() {
        node.distrust();
    }

    @Override
    public void send(List<Request> requests) {
        node.send(requests);
    }

    @Override
    public void run(String script, Listing after) {
        node.run(script, after);
    }

    @Override
    public void restore(List<Restore> restores) {
        node.restore(restores);
    }

    @Override
    public FoundFlows flows(Predicate<Flow> wanted, int most) {
        return node.flows(wanted, most);
    }

    @Override
    public void forget(List<Flow> flows) {
        node.forget(flows);
    }

    @Override
    public void close() {
        // Whoever opened the other one closes it.
    }
}
