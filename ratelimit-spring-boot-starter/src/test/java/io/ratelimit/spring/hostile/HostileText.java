package io.ratelimit.spring.hostile;

import io.ratelimit.testing.SeededRandom;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Pieces of requests made to break something, one character a byte. Not thread-safe. */
final class HostileText {

    /** Stands in all that attackers send as a subject, so that it is found wherever it must not be. */
    static final String MARK = "mk7Qz";

    /** What an attacker hopes to find as a line, or header, of its own. */
    static final String FORGED = "X-Forged: line";

    private static final int MEGABYTE = 1 << 20;

    private static final String[] PARTS = {
        "victim",
        "{",
        "}",
        "}:header:fixed-window",
        "\0",
        "\t",
        " ",
        "\\",
        "\"",
        "'; FLUSHALL",
        ":",
        ";",
        ",",
        "&",
        "=",
        "*",
        "%",
        "%zz",
        "%00",
        "%ff",
        "%c0%ae",
        "%0D%0A" + FORGED,
        "%ed%a0%80",
        utf8("\u2028"),
        utf8("é"),
        utf8("😀"),
        utf8("\u202E"),
        "\u00ff\u00fe",
        "\u00c3(",
        "\u00ed\u00a0\u0080",
        "\u0001\u007f",
        "#{T(java.lang.Runtime).getRuntime().exec('id')}",
        "T(java.lang.System).exit(1)",
        "${jndi:ldap://x}",
        "fe80::1%eth0",
        "[::1]:80",
        "203.0.113.7:4711",
        "for=203.0.113.7",
        "ip:203.0.113.7",
        "value:",
        "x".repeat(70)
    };

    private static final String[] LINE_ENDS = {
        "\r\n" + FORGED, "\n" + FORGED, "\r" + FORGED, "\r\n", "\r\n\r\n" + FORGED
    };

    /** None of them, nor any without its first character, is what the victim sends. */
    private static final String[] NEARLY_THE_VICTIM = {
        "VICTIM",
        "{victim}",
        "victim}",
        "victim:header:fixed-window",
        "victim}:header:fixed-window",
        "value:victim",
        "victim\u00a0",
        "vic\ttim",
        "victim,",
        "ip:203.0.113.7",
        "value:ip:203.0.113.7",
        "203.0.113.7",
        "global",
        "warm-up",
        ""
    };

    private final SeededRandom random;

    HostileText(SeededRandom random) {
        this.random = random;
    }

    /** A subject, with neither CR nor LF. */
    String subject() {
        return random.oneIn(6) ? random.oneOf(NEARLY_THE_VICTIM) : marked();
    }

    /** The same as the value of a header, where raw ends of lines may follow. */
    String headerValue() {
        return random.oneIn(25) ? marked() + random.oneOf(LINE_ENDS) + parts() : subject();
    }

    /** A list of hops, as a client forges it. */
    String hops(String mark) {
        StringBuilder hops = new StringBuilder();
        for (long more = random.between(1, 4); more > 0; more--) {
            String address = random.oneOf(
                    "203.0.113.7",
                    "203.0.113.7:80",
                    "127.0.0.1",
                    "10.0.0.1",
                    "::ffff:203.0.113.7",
                    "\"[::ffff:203.0.113.7]:80\"",
                    "fe80::1%eth0",
                    "unknown",
                    "",
                    parts());
            hops.append(mark).append(address).append(random.oneOf(", ", ",", ";host=\", ", ";", " , ,", ""));
        }
        return hops.toString();
    }

    /** Every byte that is not plain as {@code %xx}. */
    static String encoded(String raw) {
        return URLEncoder.encode(raw, StandardCharsets.ISO_8859_1);
    }

    private String marked() {
        String tail = random.oneIn(400) ? "y".repeat((int) random.ofAnySize(1_000, MEGABYTE)) : parts();
        return MARK + random.between(0, 99_999) + tail;
    }

    private String parts() {
        StringBuilder parts = new StringBuilder();
        for (long more = random.between(0, 4); more > 0; more--) {
            parts.append(random.oneOf(PARTS));
        }
        return parts.toString();
    }

    private static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
