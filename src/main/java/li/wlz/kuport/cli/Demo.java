package li.wlz.kuport.cli;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;

/** The demo's story, told while it happens. Runs inside the lab's isolation. */
final class Demo implements AutoCloseable {
    private static final int GAME = 3000;
    private static final int CONSOLE = 3001;
    private static final int POD_PORT = 8080;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final PrintWriter out;
    private final DemoFolder folder = new DemoFolder();
    private final Map<String, Process> agents = new LinkedHashMap<>();
    private final World world;
    private final Host pod;
    private final Host nextPod;
    private boolean allRight = true;

    Demo(PrintWriter out) {
        this.out = out;
        say("Laying out a small internet in network namespaces, with a WireGuard mesh inside it ...");
        world = World.build(Layout.plain());
        pod = world.home1().pod(1);
        nextPod = world.home2().pod(1);
    }

    /** Tells the story; answers whether all was right. */
    boolean run(boolean keep) throws InterruptedException {
        drawing();
        Map<String, Snapshot> before = snapshots();
        EchoServer.start(pod.namespace(), pod.name(), POD_PORT);
        EchoServer.start(nextPod.namespace(), nextPod.name(), POD_PORT);
        folder.cluster(world);
        folder.endpoint(world.home1(), pod);
        startAgents();
        serve();
        move();
        if (keep) {
            stay();
        }
        refuse();
        cleanUp(before);
        out.println();
        say(allRight ? "All was right." : "Not all was right: see the lines that begin with NO.");
        return allRight;
    }

    private void drawing() {
        out.println("""

                  client                      internet                       home router (NAT)
                  %-18s           routers                        %s
                       |                         |                             |
                       +-------------------------+-----------------------------+
                                                 |                             |
                                    node edge                      node home1      node home2
                                    %-18s             %-15s %s
                                    mesh %-13s             %-15s %s
                                        '======== WireGuard ========='==============='
                                                                   pod %-11s pod %s
                """.formatted(
                        AddressPlan.CLIENT.ipv4(),
                        AddressPlan.HOME_ROUTER.ipv4(),
                        AddressPlan.A1.ipv4(),
                        home(world.home1()),
                        home(world.home2()),
                        world.edge().mesh().ipv4(),
                        world.home1().mesh().ipv4(),
                        world.home2().mesh().ipv4(),
                        pod.addresses().ipv4(),
                        nextPod.addresses().ipv4()));
    }

    private static IpAddress home(MeshNode node) {
        return node.uplinks().getFirst().addresses().getFirst().ipv4();
    }

    private void startAgents() {
        say("Starting an agent on each node ...");
        for (MeshNode node : world.nodes()) {
            List<String> command = Program.command(
                    "agent",
                    "--manifests",
                    folder.manifests().toString(),
                    "--node-name",
                    node.name(),
                    "--status-dir",
                    folder.root().resolve("status-" + node.name()).toString());
            agents.put(node.name(), node.namespace().start(log(node), command.toArray(String[]::new)));
        }
    }

    private Path log(MeshNode node) {
        return folder.root().resolve("agent-" + node.name() + ".log");
    }

    private void serve() throws InterruptedException {
        say("Applying the manifests of a game server (UDP " + GAME + ") and its console (TCP " + CONSOLE + "):");
        out.println();
        DemoFolder.text("gameserver").lines().forEach(line -> out.println("    " + line));
        out.println();
        out.flush();
        folder.mappings();
        boolean served = await(
                "the game server to be reachable",
                () -> world.cli().dial(dial(Protocol.UDP, IpFamily.IPV4).within(Duration.ofMillis(300)))
                        instanceof Answer.Reply);
        if (!served) {
            agents.keySet().forEach(this::showLog);
        }
        say("The client dials edge:");
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                conversation(dial(protocol, family), family);
            }
        }
    }

    private static Dial dial(Protocol protocol, IpFamily family) {
        return Dial.to(protocol, AddressPlan.A1.of(family), protocol == Protocol.UDP ? GAME : CONSOLE);
    }

    private void conversation(Dial dial, IpFamily family) {
        Answer answer = world.cli().dial(dial);
        if (!(answer instanceof Answer.Reply reply)) {
            check(false, "%s: no answer, but %s".formatted(dial, answer));
            return;
        }
        boolean right = reply.server().equals(pod.name())
                && reply.sourceSeen().equals(reply.sentFrom())
                && reply.sourceSeen().address().equals(AddressPlan.CLIENT.of(family))
                && reply.repliedFrom().equals(dial.destination());
        check(
                right,
                "%s %s  from %s: pod %s saw %s, the answer came from %s"
                        .formatted(
                                dial.protocol(),
                                dial.destination(),
                                reply.sentFrom(),
                                reply.server(),
                                reply.sourceSeen(),
                                reply.repliedFrom()));
    }

    private void move() throws InterruptedException {
        say("A player keeps sending from one UDP socket, while the pod moves from home1 to home2 ...");
        try (UdpSender player = UdpSender.start(world.cli().namespace(), dial(Protocol.UDP, IpFamily.IPV4))) {
            await("answers of " + pod.name(), () -> player.servers().contains(pod.name()));
            folder.endpoint(world.home2(), nextPod);
            long started = System.nanoTime();
            boolean moved =
                    await("answers of " + nextPod.name(), () -> player.servers().contains(nextPod.name()));
            long millis = (System.nanoTime() - started) / 1_000_000;
            boolean source = player.received().stream()
                    .allMatch(answer -> answer.sourceSeen().equals(player.local()));
            check(
                    moved && source,
                    "the same socket %s was answered by %s, and %d ms after the change by %s; both saw the player's address"
                            .formatted(player.local(), pod.name(), millis, nextPod.name()));
        }
    }

    /** Lets a person look around in a shell inside; without a terminal the world stays until the demo is ended. */
    private void stay() throws InterruptedException {
        say("The world stays up. Things to type in it:");
        out.println("    ip netns list");
        out.println("    ip netns exec edge nft list table inet kuport");
        out.println("    ip netns exec home2 ip rule");
        out.println("    ip netns exec home2 ip -d link show kup0");
        out.println("    ip netns exec edge conntrack -L");
        out.println("    cat " + log(world.edge()));
        out.println("    ls " + folder.manifests() + "   (edit one: the agents watch them)");
        boolean terminal = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .isPresent();
        say(terminal ? "Type 'exit' to go on: the mappings are deleted and all is cleaned up." : "Ctrl-C ends it.");
        if (!terminal) {
            new CountDownLatch(1).await();
        }
        try {
            new ProcessBuilder("sh", "+m").inheritIO().start().waitFor();
        } catch (IOException e) {
            check(false, "there is no shell to look around with: " + e.getMessage());
        }
    }

    private void refuse() throws InterruptedException {
        say("Deleting the mappings ...");
        folder.removeMappings();
        boolean refused = await(
                "the port to be refused",
                () -> world.cli().dial(dial(Protocol.TCP, IpFamily.IPV4).within(Duration.ofMillis(300)))
                        instanceof Answer.Refused);
        check(refused, "the client is refused at once: %s".formatted(dial(Protocol.TCP, IpFamily.IPV4)));
        Answer answer = world.cli().dial(dial(Protocol.UDP, IpFamily.IPV6));
        check(answer instanceof Answer.Refused, "and %s: %s".formatted(dial(Protocol.UDP, IpFamily.IPV6), answer));
    }

    private void cleanUp(Map<String, Snapshot> before) throws InterruptedException {
        say("Stopping the agents and cleaning up ...");
        for (Process agent : agents.values()) {
            agent.destroy();
        }
        for (Process agent : agents.values()) {
            agent.waitFor(10, TimeUnit.SECONDS);
        }
        boolean stays = world.nodes().stream()
                .allMatch(node -> Snapshot.of(node.namespace()).hasKuport());
        check(stays, "the agents are gone, what they programmed is still there");
        for (MeshNode node : world.nodes()) {
            node.namespace().run(Program.command("cleanup").toArray(String[]::new));
        }
        snapshots().forEach((name, after) -> {
            List<String> difference = before.getOrDefault(name, after).difference(after);
            check(
                    difference.isEmpty(),
                    difference.isEmpty()
                            ? name + ": after 'kuport cleanup' nothing is left, and nothing else was touched"
                            : name + ": differs from before:\n      " + String.join("\n      ", difference));
        });
    }

    private Map<String, Snapshot> snapshots() {
        Map<String, Snapshot> snapshots = new LinkedHashMap<>();
        world.nodes().forEach(node -> snapshots.put(node.name(), Snapshot.of(node.namespace())));
        return snapshots;
    }

    private boolean await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (condition.getAsBoolean()) {
                return true;
            }
            Thread.sleep(20);
        }
        check(false, "waited " + PATIENCE.toSeconds() + " s for " + what + " in vain");
        return false;
    }

    private void showLog(String node) {
        try {
            List<String> lines = new ArrayList<>(Files.readAllLines(log(world.node(node))));
            out.println("the agent of " + node + " says:");
            lines.forEach(line -> out.println("    " + line));
        } catch (IOException e) {
            out.println("the agent of " + node + " left no log: " + e.getMessage());
        }
    }

    private void check(boolean right, String what) {
        allRight &= right;
        out.println((right ? "  yes  " : "  NO   ") + what);
        out.flush();
    }

    private void say(String words) {
        out.println(words);
        out.flush();
    }

    @Override
    public void close() {
        agents.values().forEach(Process::destroy);
        world.close();
        folder.close();
    }
}
