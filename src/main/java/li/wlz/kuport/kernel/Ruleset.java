package li.wlz.kuport.kernel;

import java.util.OptionalInt;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.Nftables;
import li.wlz.kuport.ffm.NftablesException;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.NftablesMessages;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;

/** Our nftables table: listed through libnftables, changed by it, never anything of others. */
final class Ruleset implements AutoCloseable {
    private static final String LIST = "list table inet " + Ours.TABLE;

    private final Nftables nftables;
    private final Conversation conversation;

    /** @param conversation with NETLINK_NETFILTER */
    Ruleset(Nftables nftables, Conversation conversation) {
        this.nftables = nftables;
        this.conversation = conversation;
    }

    /**
     * The table as it is; {@link Listing#NOTHING} where there is none.
     *
     * @throws NativeException or {@link NftablesException} if it cannot be read
     */
    Listing list() {
        return exists() ? Listing.parse(nftables.list(LIST)) : Listing.NOTHING;
    }

    /** Nft tells a missing table by its words alone, the kernel by a number. */
    private boolean exists() {
        try {
            conversation.get(NftablesMessages.table(Ours.TABLE), "table inet " + Ours.TABLE);
            return true;
        } catch (NativeException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** The chains of others that packets of ours may meet, with their rules and those of the chains that they lead to. */
    ForeignRuleset foreign() {
        return new ForeignChains(nftables).read();
    }

    /** The number of the whole ruleset of this namespace: each transaction that changes something raises it by one. */
    int generation() {
        byte[] request = NftablesMessages.generation();
        return NftablesMessages.decodeGeneration(conversation.get(request, "the ruleset's generation"))
                .orElseThrow();
    }

    /**
     * Carries out a script as one transaction.
     *
     * @throws NftablesException if it is refused; nothing is changed then
     */
    Commit run(String script) {
        int before = generation();
        nftables.run(script);
        return new Commit(before, generation());
    }

    /**
     * What a script did to the ruleset's generation.
     *
     * @param before the last one known before it
     * @param after the first one known after it
     */
    record Commit(int before, int after) {
        /** The generation that it made; empty where it made none, or another transaction came in between. */
        OptionalInt made() {
            return after == before + 1 ? OptionalInt.of(after) : OptionalInt.empty();
        }

        /** Whether nobody else's transaction can have come in between. */
        boolean alone() {
            return after == before || after == before + 1;
        }
    }

    @Override
    public void close() {
        nftables.close();
    }
}
