package li.wlz.kuport.model;

/**
 * The decision about one PortMapClass.
 *
 * @param writer whether this node writes its status
 */
public record ClassReport(String name, long generation, boolean writer, Condition ready) {}
