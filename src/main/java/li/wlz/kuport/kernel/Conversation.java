package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import li.wlz.kuport.netlink.MalformedMessageException;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.reconcile.spi.NodeException;

/**
 * Questions and requests to one netlink protocol, and the kernel's answers.
 *
 * <p>An answer that is not whole is never handed on: neither one with a part lost or cut, nor a dump that the kernel says was
 * interrupted by a change. The question is asked again, over a new socket where the old one is out of step.
 */
final class Conversation implements AutoCloseable {
    /** How often a question is asked; a table would have to change during each of them to run out. */
    private static final int ATTEMPTS = 20;

    /** The kernel answers while the request is being sent; this only ends the wait for an answer that was dropped. */
    private static final int PATIENCE_MILLISECONDS = 5000;

    private final Supplier<Channel> opener;
    private volatile Channel channel;
    private int sequence;

    /** Opens the first channel. */
    Conversation(Supplier<Channel> opener) {
        this.opener = opener;
        this.channel = opener.get();
    }

    /** The port id that the notifications of what is done here bear. */
    int portId() {
        return channel.portId();
    }

    /** An answer that cannot be used, though the kernel refused nothing. */
    private static final class NotWhole extends Exception {
        final boolean outOfStep;

        NotWhole(String message, boolean outOfStep) {
            super(message);
            this.outOfStep = outOfStep;
        }
    }

    /**
     * Asks for a list.
     *
     * @param subject what is asked for, in a word or two
     * @param decoder what a message holds; it may find nothing
     * @throws NativeException if the kernel refuses
     * @throws NodeException if no whole answer came, however often it was asked
     */
    <T> List<T> dump(byte[] request, String subject, Function<Message, List<T>> decoder) {
        List<T> found = new ArrayList<>();
        dump(request, subject, found::clear, message -> found.addAll(decoder.apply(message)));
        return found;
    }

    /**
     * As {@link #dump(byte[], String, Function)}, for a list that may be longer than one wants to keep.
     *
     * @param afresh called before the list's first message comes, also when it comes anew: what came before was not whole
     * @param each takes a message
     */
    void dump(byte[] request, String subject, Runnable afresh, Consumer<Message> each) {
        Message.Answer answer = ask(request, subject, afresh, each);
        if (answer.errno() != 0) {
            throw new NativeException("netlink", answer.errno(), "reading " + subject);
        }
    }

    /** As {@link #dump}, for messages that hold one value or none. */
    <T> List<T> dumpEach(byte[] request, String subject, Function<Message, Optional<T>> decoder) {
        return dump(request, subject, message -> decoder.apply(message).stream().toList());
    }

    /**
     * Asks for one thing.
     *
     * @throws NativeException if the kernel refuses; ENOENT or ENODEV where there is no such thing
     * @throws NodeException if no whole answer came
     */
    Message get(byte[] request, String subject) {
        List<Message> found = new ArrayList<>();
        Message.Answer answer = ask(request, subject, found::clear, found::add);
        if (answer.errno() != 0) {
            throw new NativeException("netlink", answer.errno(), "reading " + subject);
        }
        return found.getFirst();
    }

    private Message.Answer ask(byte[] request, String subject, Runnable afresh, Consumer<Message> parts) {
        String trouble = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            afresh.run();
            try {
                return exchange(request, parts);
            } catch (NotWhole e) {
                trouble = e.getMessage();
                if (e.outOfStep) {
                    reopen();
                }
            }
        }
        throw new NodeException(
                "reading " + subject + ": no whole answer in " + ATTEMPTS + " attempts; at last " + trouble);
    }

    /**
     * Asks for a change, once.
     *
     * @return what became of it, by errno
     * @throws NodeException if the answer was lost, so that nobody knows
     */
    Message.Answer request(byte[] request) {
        try {
            return exchange(request, part -> {});
        } catch (NotWhole e) {
            reopen();
            throw new NodeException("the answer to a change was lost: " + e.getMessage(), e);
        }
    }

    private void reopen() {
        channel.close();
        channel = opener.get();
    }

    private Message.Answer exchange(byte[] request, Consumer<Message> parts) throws NotWhole {
        Message.number(request, ++sequence);
        channel.send(request);
        boolean interrupted = false;
        while (true) {
            for (Message message : receive()) {
                if (message.sequence() != sequence || message.portId() != channel.portId()) {
                    throw new NotWhole("an answer to another question came", true);
                }
                interrupted |= message.has(Message.NLM_F_DUMP_INTR);
                Optional<Message.Answer> end = take(message, parts);
                if (end.isPresent()) {
                    if (interrupted) {
                        throw new NotWhole("the dump was interrupted by a change", false);
                    }
                    return end.get();
                }
            }
        }
    }

    /** Hands a part on; present where it was the last. */
    private static Optional<Message.Answer> take(Message message, Consumer<Message> parts) throws NotWhole {
        try {
            return switch (message.type()) {
                case Message.NLMSG_ERROR, Message.NLMSG_DONE -> Optional.of(message.answer());
                case Message.NLMSG_NOOP -> Optional.empty();
                default -> {
                    parts.accept(message);
                    yield message.has(Message.NLM_F_MULTI) ? Optional.empty() : Optional.of(new Message.Answer(0, ""));
                }
            };
        } catch (MalformedMessageException e) {
            throw new NotWhole("it was malformed: " + e.getMessage(), true);
        }
    }

    private List<Message> receive() throws NotWhole {
        try {
            Datagram datagram =
                    channel.receive(PATIENCE_MILLISECONDS).orElseThrow(() -> new NotWhole("none came in time", true));
            if (datagram.sender() != 0) {
                return List.of();
            }
            if (datagram.truncated()) {
                throw new NotWhole("it was cut short", true);
            }
            return Message.split(datagram.bytes());
        } catch (MalformedMessageException e) {
            throw new NotWhole("it was malformed: " + e.getMessage(), true);
        } catch (NativeException e) {
            if (e.errno() == Errno.ENOBUFS) {
                throw new NotWhole("a part of it was lost", true);
            }
            throw e;
        }
    }

    @Override
    public void close() {
        channel.close();
    }
}
