package io.ratelimit.lab.kit;

import java.io.IOException;

/** Runs all checks against one address. Exit status 0: none failed; 1: some did; 2: the options are wrong. */
public final class Kit {

    private Kit() {}

    /**
     * Marks what answers at an address.
     *
     * @param args as on the command line
     * @throws IllegalArgumentException if an option is missing, unknown or cannot be read
     */
    public static KitReport mark(String... args) {
        return mark(KitOptions.parse(args));
    }

    /** Calls each address so often, with subjects of its own, so that the checks do not meet a service that still starts. */
    public static void warmUp(int calls, String... args) {
        KitOptions options = KitOptions.parse(args);
        Client client = new Client(options);
        for (int i = 0; i < calls; i++) {
            client.call(Client.newSubject());
            options.second().ifPresent(second -> client.call(second, Client.newSubject()));
        }
    }

    private static KitReport mark(KitOptions options) {
        return new KitReport(options.url().toString(), new Checks(options).run());
    }

    public static void main(String[] args) throws IOException {
        KitOptions options;
        try {
            options = KitOptions.parse(args);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
            return;
        }
        KitReport report = mark(options);
        report.write(options.out());
        System.out.print(report.text());
        System.exit(report.isPassed() ? 0 : 1);
    }
}
