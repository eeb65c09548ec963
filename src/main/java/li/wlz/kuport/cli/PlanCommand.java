package li.wlz.kuport.cli;

import picocli.CommandLine.Command;

@Command(name = "plan")
final class PlanCommand implements Runnable {
    @Override
    public void run() {}
}
