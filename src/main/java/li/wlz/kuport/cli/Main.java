package li.wlz.kuport.cli;

/** Starts the command that was asked for. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println("kuport");
    }
}
