package io.ratelimit.lab.kit;

import java.io.IOException;

/** Runs all checks against one address. Exit status 0: none failed; 1: some did; 2: the options are wrong. */
public final class Kit {

    private Kit() {}

    public static void main(String[] args) throws IOException {
        KitOptions options;
        try {
            options = KitOptions.parse(args);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
            return;
        }
        KitReport report = new KitReport(options.url().toString(), new Checks(options).run());
        report.write(options.out());
        System.out.print(report.text());
        System.exit(report.isPassed() ? 0 : 1);
    }
}
