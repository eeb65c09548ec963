package li.wlz.kuport.cli;

import li.wlz.kuport.model.MarkSpace;
import picocli.CommandLine.Option;

/** Which bits of packets' and connections' marks are kuport's; the same on all nodes. */
final class MarkOptions {
    @Option(
            names = "--mark-base",
            paramLabel = "BITS",
            defaultValue = "0x6b700000",
            description = "Bits of packet marks that say a flow is kuport's. Default: ${DEFAULT-VALUE}.")
    Texts.Bits base = new Texts.Bits(MarkSpace.DEFAULT.base());

    @Option(
            names = "--mark-mask",
            paramLabel = "BITS",
            defaultValue = "0xfff000ff",
            description =
                    "All bits of marks that kuport may use; the low byte is among them. Default: ${DEFAULT-VALUE}.")
    Texts.Bits mask = new Texts.Bits(MarkSpace.DEFAULT.mask());

    /**
     * The bits asked for.
     *
     * @throws IllegalArgumentException if base and mask contradict each other
     */
    MarkSpace marks() {
        return new MarkSpace(base.value(), mask.value());
    }
}
