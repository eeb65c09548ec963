/** Rules in the tables of iptables as values: what {@code iptables-save} prints in, what {@code iptables-restore} reads out. */
@NullMarked
package li.wlz.kuport.xtables;

import org.jspecify.annotations.NullMarked;
