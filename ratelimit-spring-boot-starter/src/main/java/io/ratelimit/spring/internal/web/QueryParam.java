package io.ratelimit.spring.internal.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one parameter from a query string, and nothing from a body, because the request's handler wants to read that.
 */
public final class QueryParam {

    private static final Pattern AND = Pattern.compile("&");

    /** The JDK's decoder also reads {@code %+1} and digits of other scripts. */
    private static final Pattern MALFORMED = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private QueryParam() {}

    /**
     * Returns the first value of that name that can be decoded, which is what Tomcat gives to the application; null if there is
     * none.
     */
    public static @Nullable String first(String query, String name) {
        for (String pair : AND.split(query, -1)) {
            int equals = pair.indexOf('=');
            if (name.equals(decoded(equals < 0 ? pair : pair.substring(0, equals)))) {
                String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
                if (value != null) {
                    return value;
                }
            }
        }
        return null;
    }

    private static @Nullable String decoded(String text) {
        return MALFORMED.matcher(text).find() ? null : URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
