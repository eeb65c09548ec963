package li.wlz.kuport.netlink;

import java.util.List;

/** Requests as messages. */
public final class RequestMessages {
    private RequestMessages() {}

    /**
     * The messages of a request, each to be sent when the one before was acknowledged. All but {@link Request.CreateVxlan} have
     * one.
     *
     * @throws NoSuchDeviceException if it names a device by index that is not there
     */
    public static List<byte[]> encode(Request request, Devices devices) {
        return switch (request) {
            case Request.CreateVxlan create -> LinkMessages.create(create);
            case Request.DeleteLink delete -> List.of(LinkMessages.delete(delete.name()));
            case Request.SetMtu set -> List.of(LinkMessages.setMtu(set));
            case Request.SetUp set -> List.of(LinkMessages.setUp(set));
            case Request.SetRpFilter set -> List.of(LinkMessages.setRpFilter(set));
            case Request.SetVxlanLocal set -> List.of(LinkMessages.setVxlanLocal(set));
            case Request.AddAddress add -> List.of(AddressMessages.add(add.address(), devices));
            case Request.DeleteAddress delete -> List.of(AddressMessages.delete(delete.address(), devices));
            case Request.AddNeighbour add -> List.of(NeighbourMessages.add(add.neighbour(), devices));
            case Request.DeleteNeighbour delete -> List.of(NeighbourMessages.delete(delete.neighbour(), devices));
            case Request.AddForwardingEntry add -> List.of(NeighbourMessages.add(add.entry(), devices));
            case Request.DeleteForwardingEntry delete -> List.of(NeighbourMessages.delete(delete.entry(), devices));
            case Request.AddRoute add -> List.of(RouteMessages.add(add.route(), devices));
            case Request.DeleteRoute delete -> List.of(RouteMessages.delete(delete.route(), devices));
            case Request.AddRule add -> List.of(RuleMessages.add(add.rule()));
            case Request.DeleteRule delete -> List.of(RuleMessages.delete(delete.rule()));
        };
    }
}
