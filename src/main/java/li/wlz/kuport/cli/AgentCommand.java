package li.wlz.kuport.cli;

import picocli.CommandLine.Command;

@Command(name = "agent")
final class AgentCommand implements Runnable {
    @Override
    public void run() {}
}
