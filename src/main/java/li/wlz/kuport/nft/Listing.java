package li.wlz.kuport.nft;

/** A table as the kernel lists it. */
public record Listing() {}
