package li.wlz.kuport.cli;

import picocli.CommandLine.Command;

@Command(name = "cleanup")
final class CleanupCommand implements Runnable {
    @Override
    public void run() {}
}
