package li.wlz.kuport.cli;

import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PortRange;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the values of options from text. */
final class Texts {
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final int LAST_PORT = 65535;

    /** The 32 bits of a mark or mask. */
    record Bits(int value) {
        static Bits parse(String text) {
            try {
                long value = Long.decode(text);
                if (value >>> 32 == 0) {
                    return new Bits((int) value);
                }
            } catch (NumberFormatException e) {
                // Falls through to the one message that both mistakes get.
            }
            throw new IllegalArgumentException("\"" + text + "\" is not a number of 32 bits such as 0x6b700000");
        }
    }

    /** A list of ports with commas between; blanks are let pass. */
    record Ports(SortedSet<Integer> ports) {
        static Ports parse(String text) {
            TreeSet<Integer> ports = new TreeSet<>();
            if (!text.isBlank()) {
                for (String item : text.split(",", -1)) {
                    PortRange port = PortRange.parse(item.strip());
                    if (!port.isSingle()) {
                        throw new IllegalArgumentException("\"" + item.strip() + "\" is a range; list single ports");
                    }
                    ports.add(port.first());
                }
            }
            return new Ports(ports);
        }
    }

    /** The port of a server of ours; 0 for no server. */
    static final class ServerPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= LAST_PORT) {
                return Integer.valueOf(text);
            }
            throw new TypeConversionException("\"" + text + "\" is neither a port, 1 to 65535, nor 0 for none");
        }
    }

    private interface Reader<T> {
        T read(String text);
    }

    private Texts() {}

    static void register(CommandLine line) {
        line.registerConverter(Cidr.class, converter(Cidr::parse));
        line.registerConverter(PortRange.class, converter(PortRange::parse));
        line.registerConverter(IpAddress.class, converter(IpAddress::parse));
        line.registerConverter(Ports.class, converter(Ports::parse));
        line.registerConverter(Bits.class, converter(Bits::parse));
        line.registerConverter(Duration.class, converter(Texts::duration));
    }

    private static <T> ITypeConverter<T> converter(Reader<T> reader) {
        return text -> {
            try {
                return reader.read(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }

    /** {@code 90s}, {@code 5m}, {@code 1h30m}, {@code 200ms}; a bare number means seconds. A year at most. */
    static Duration duration(String text) {
        Duration duration = anyDuration(text);
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("\"" + text + "\" is longer than a year, 8760h");
        }
        return duration;
    }

    private static Duration anyDuration(String text) {
        if (text.matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        if (text.matches("[0-9]{1,12}ms")) {
            return Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)));
        }
        if (!text.isEmpty() && text.matches("([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?")) {
            return Duration.parse("PT" + text);
        }
        throw new IllegalArgumentException("\"" + text + "\" is not a duration such as 90s, 5m or 1h30m");
    }
}
