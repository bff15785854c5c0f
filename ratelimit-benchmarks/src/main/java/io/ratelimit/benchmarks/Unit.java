package io.ratelimit.benchmarks;

import java.util.Locale;

/** What a number counts, and how it is written. */
public enum Unit {
    DECISIONS_PER_SECOND("decisions/s"),
    CALLS_PER_SECOND("calls/s"),
    REQUESTS_PER_SECOND("requests/s"),
    MILLIS("ms"),
    MICROS("µs"),
    NANOS("ns"),
    BYTES("bytes"),
    OF_THOUSAND("of 1,000"),
    PERCENT("%"),
    RATIO("");

    final String label;

    Unit(String label) {
        this.label = label;
    }

    /** The number alone: whole where it is large, with three digits that count where it is small. */
    String number(double value) {
        int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        String number = String.format(Locale.ROOT, "%,." + decimals + "f", value);
        return number.contains(".") ? number.replaceFirst("\\.?0+$", "") : number;
    }

    String text(double value) {
        return label.isEmpty() ? number(value) : number(value) + ' ' + label;
    }
}
