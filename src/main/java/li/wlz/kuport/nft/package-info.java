/** Nftables in values: tables, chains, maps and sets out as nft text, listings in from JSON. */
@NullMarked
package li.wlz.kuport.nft;

import org.jspecify.annotations.NullMarked;
