package li.wlz.kuport.cli;

import picocli.CommandLine.Command;

@Command(name = "facts")
final class FactsCommand implements Runnable {
    @Override
    public void run() {}
}
