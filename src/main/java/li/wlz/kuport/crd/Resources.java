package li.wlz.kuport.crd;

/** All objects that decisions are made from, as they were read. */
public record Resources() {}
