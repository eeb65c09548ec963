package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Rewrites a command line as Go's {@code flag} package reads it to one that picocli reads.
 *
 * <p>One dash or two; {@code -name=value} or {@code -name value}; a switch alone or with {@code =true}; of a flag that is given twice
 * the last counts. See <a href="https://pkg.go.dev/flag#hdr-Command_line_flag_syntax">the package's documentation</a>.
 */
final class GoFlags implements IParameterPreprocessor {
    /** What Go's {@code strconv.ParseBool} takes. */
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");

    private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");

    @Override
    @SuppressWarnings({"JdkObsolete", "NullAway"}) // picocli hands a Stack, and no argument's definition for a command
    public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec none, Map<String, Object> shared) {
        List<String> given = new ArrayList<>();
        while (!args.isEmpty()) {
            given.add(args.pop());
        }
        rewritten(given, command).reversed().forEach(args::push);
        return false;
    }

    private static List<String> rewritten(List<String> given, CommandSpec command) {
        Map<String, OptionSpec> flags = flags(command);
        Map<String, String> single = new LinkedHashMap<>();
        List<String> repeatable = new ArrayList<>();
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            String argument = given.get(i);
            String body = argument.startsWith("--")
                    ? argument.substring(2)
                    : argument.substring(Math.min(1, argument.length()));
            int equals = body.indexOf('=');
            OptionSpec flag = flags.get(equals < 0 ? body : body.substring(0, equals));
            if (flag == null && argument.startsWith("-") && !body.isEmpty()) {
                throw new ParameterException(command.commandLine(), "Unknown flag: " + argument);
            }
            if (!argument.startsWith("-") || flag == null) {
                // Neither Go nor we go on after what is no flag; picocli says what is wrong with it.
                rest.addAll(given.subList(i, given.size()));
                break;
            }
            String name = flag.longestName();
            if (flag.arity().max() == 0) {
                single.put(name, name + (equals < 0 ? "" : "=" + truth(body, equals, command)));
            } else if (equals < 0 && i + 1 == given.size()) {
                rest.add(name);
            } else {
                String value = equals < 0 ? given.get(++i) : body.substring(equals + 1);
                if (!flag.isMultiValue()) {
                    single.put(name, name + "=" + value);
                } else if (!value.isEmpty()) {
                    repeatable.add(name + "=" + value);
                }
            }
        }
        List<String> rewritten = new ArrayList<>(single.values());
        rewritten.addAll(repeatable);
        rewritten.addAll(rest);
        return rewritten;
    }

    private static Map<String, OptionSpec> flags(CommandSpec command) {
        Map<String, OptionSpec> flags = new HashMap<>();
        command.options().forEach(option -> {
            for (String name : option.names()) {
                flags.put(name.replaceFirst("^--?", ""), option);
            }
        });
        return flags;
    }

    private static String truth(String body, int equals, CommandSpec command) {
        String value = body.substring(equals + 1);
        if (TRUE.contains(value)) {
            return "true";
        }
        if (FALSE.contains(value)) {
            return "false";
        }
        throw new ParameterException(
                command.commandLine(),
                "Invalid value for -" + body.substring(0, equals) + ": \"" + value + "\" is neither true nor false");
    }
}
