package io.ratelimit.spring;

import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts of a web request that a key may use, the same in servlet and reactive applications. */
public interface RequestView {

    /**
     * Attribute of a request that exceeds limits which only report: a {@code Set<String>} of their names. A request that exceeds
     * none has no such attribute.
     */
    String EXCEEDED_LIMITS = "rate-limiter.exceeded";

    /** The HTTP method, such as {@code GET}. */
    String method();

    /**
     * The path within the application as routes match it: decoded, normalised and without {@code ;parameters}. So {@code
     * /res/7}, {@code /res/7;a=1} and {@code /res/%37} are {@code /res/7}.
     */
    String path();

    /** The path within the application as the client spelled it, of which one handler has many. */
    String rawPath();

    /** First value of that header. */
    @Nullable
    String header(String name);

    /** Value of that cookie, on servlets decoded as Spring MVC does it. */
    @Nullable
    String cookie(String name);

    /** First value of that query parameter. The body is not read. */
    @Nullable
    String param(String name);

    /** Attribute of that name, which the application has set while it handled the request; null if there is none. */
    default @Nullable Object attribute(String name) {
        return null;
    }

    /** The same as {@link #header}, by the name that it has in servlets. */
    default @Nullable String getHeader(String name) {
        return header(name);
    }

    /** The same as {@link #param}, by the name that it has in servlets. */
    default @Nullable String getParameter(String name) {
        return param(name);
    }

    /** The authenticated principal; null if there is none. */
    @Nullable
    Principal principal();

    /** The client's address: that of the connection, or the one that a trusted proxy names. */
    String clientAddress();

    /**
     * The whole addresses that the client may have, also of an IPv6 client, whose {@link #clientAddress} is a network. One,
     * unless the headers of a trusted proxy contradict each other; empty if the server does not know any.
     */
    List<String> possibleAddresses();
}
