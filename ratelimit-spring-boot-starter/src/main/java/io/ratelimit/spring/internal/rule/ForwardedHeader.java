package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The hops of {@code Forwarded} (RFC 7239), nearest last. Respects quoted strings: otherwise a client could write
 * hops into its {@code Host}, which some proxies pass on. Reads from the right, so that a quote which the client has opened
 * and not closed hides nothing that a proxy appended.
 */
final class ForwardedHeader {

    private ForwardedHeader() {}

    /** Returns what each element names as {@code for}; empty for one that names nothing. */
    static List<String> hops(List<String> values) {
        List<String> hops = new ArrayList<>();
        for (String value : values) {
            for (String element : split(value, ',')) {
                hops.add(hop(element));
            }
        }
        return hops;
    }

    private static String hop(String element) {
        for (String pair : split(element, ';')) {
            int equals = pair.indexOf('=');
            if (equals > 0
                    && pair.substring(0, equals).trim().toLowerCase(Locale.ROOT).equals("for")) {
                return pair.substring(equals + 1).trim().replace("\"", "");
            }
        }
        return "";
    }

    /** Returns the parts in their order; an empty first one if a quote in it is not closed. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int end = text.length();
        for (int i = end - 1; i >= 0; i--) {
            char at = text.charAt(i);
            if (at == '"' && !(quoted && isEscaped(text, i))) {
                quoted = !quoted;
            } else if (at == separator && !quoted) {
                parts.add(text.substring(i + 1, end));
                end = i;
            }
        }
        parts.add(quoted ? "" : text.substring(0, end));
        Collections.reverse(parts);
        return parts;
    }

    private static boolean isEscaped(String text, int index) {
        int backslashes = 0;
        while (index - backslashes > 0 && text.charAt(index - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }
}
