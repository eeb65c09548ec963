/** Turns a node plan into the ruleset, links, routes, rules and stale flows wanted, and into the difference to what is there. */
@NullMarked
package li.wlz.kuport.datapath;

import org.jspecify.annotations.NullMarked;
