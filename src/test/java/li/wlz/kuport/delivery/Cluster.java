package li.wlz.kuport.delivery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.Settings;

/**
 * A folder of manifests and an agent on each node of a world, run pass by pass.
 *
 * <p>The agents are the real thing but for the loop around them: a pass runs when a test says so, so that a test knows what is in
 * force. {@link #put} and {@link #remove} run one on every node.
 */
public final class Cluster implements AutoCloseable {
    private final Path folder;
    private final SortedMap<String, Agent> agents = new TreeMap<>();

    private Cluster(Path folder) {
        this.folder = folder;
    }

    /** Starts agents on all nodes of a world. */
    public static Cluster on(World world) {
        return on(world, settings -> settings);
    }

    /** As {@link #on(World)}, with other settings than the defaults. */
    public static Cluster on(World world, UnaryOperator<Settings> change) {
        try {
            Cluster cluster = new Cluster(Files.createTempDirectory("kuport-manifests"));
            cluster.write("cluster", Manifests.cluster(world));
            for (MeshNode node : world.nodes()) {
                Settings settings = change.apply(Settings.defaults(node.name()));
                cluster.agents.put(node.name(), new Agent(settings, node.namespace(), cluster.folder));
            }
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder that all agents read. */
    public Path folder() {
        return folder;
    }

    public Agent agent(MeshNode node) {
        return agent(node.name());
    }

    public Agent agent(String node) {
        Agent agent = agents.get(node);
        if (agent == null) {
            throw new IllegalArgumentException("no agent on " + node);
        }
        return agent;
    }

    /** Writes a file of the folder without telling anybody. */
    public Cluster write(String file, String yaml) {
        try {
            Files.writeString(folder.resolve(file + ".yaml"), yaml);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a file of the folder and runs a pass on every node. */
    public Cluster put(String file, String yaml) {
        write(file, yaml);
        return settle();
    }

    /** Removes a file of the folder, if it is there, without telling anybody. */
    public Cluster delete(String file) {
        try {
            Files.deleteIfExists(folder.resolve(file + ".yaml"));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes a file of the folder and runs a pass on every node. */
    public Cluster remove(String file) {
        return delete(file).settle();
    }

    /** Runs a pass on every node; each must put in force what it decided. */
    public Cluster settle() {
        agents.values().forEach(Agent::pass);
        return this;
    }

    /** Removes what is kuport's from all nodes, as {@code kuport cleanup} does. */
    public void cleanUp() {
        agents.values().forEach(Agent::cleanUp);
    }

    /** Ends the agents. As with the real ones, what they programmed stays. */
    @Override
    public void close() {
        agents.values().forEach(Agent::close);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
