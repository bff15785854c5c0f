package io.ratelimit.spring;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** What a key may be made of in a web request, the same for servlet and reactive applications. */
public interface RequestView {

    /** The HTTP method, such as {@code GET}. */
    String method();

    /** The path within the application, as sent. */
    String path();

    /** First value of that header. */
    @Nullable
    String header(String name);

    /** Value of that cookie. */
    @Nullable
    String cookie(String name);

    /** First value of that query parameter. The body is not read. */
    @Nullable
    String param(String name);

    /** The same as {@link #header}, by the name that it has in servlets. */
    default @Nullable String getHeader(String name) {
        return header(name);
    }

    /** The same as {@link #param}, by the name that it has in servlets. */
    default @Nullable String getParameter(String name) {
        return param(name);
    }

    /** Who is authenticated, if anyone is. */
    @Nullable
    Principal principal();

    /** The client's address: the peer's, or what a trusted proxy says of it. */
    String clientAddress();
}
