package li.wlz.kuport.datapath;

import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.nft.Table;

/**
 * What a node's kernel should have.
 *
 * @param plan what it was made from
 * @param table our nftables table
 * @param routing the link device, addresses, neighbours, routes and rules
 */
public record Wanted(NodePlan plan, Table table, Routing routing) {}
