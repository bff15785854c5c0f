package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The hops of {@code Forwarded} (RFC 7239), nearest last. Respects quoted strings: otherwise a client could write
 * hops into its {@code Host}, which some proxies pass on. An element whose quote is not closed
 * names nothing: the client opened it, so that what the proxy appended would stand within it.
 */
final class ForwardedHeader {

    private ForwardedHeader() {}

    /** What each element names as {@code for}; empty for one that names nothing. */
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

    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            if (quoted && at == '\\') {
                i++; // an escaped quote does not end the string
            } else if (at == '"') {
                quoted = !quoted;
            } else if (at == separator && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(quoted ? "" : text.substring(start));
        return parts;
    }
}
