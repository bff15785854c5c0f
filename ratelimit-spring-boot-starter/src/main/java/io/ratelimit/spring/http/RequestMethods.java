package io.ratelimit.spring.http;

import java.util.Set;

/** HTTP methods of routes and controllers. */
public final class RequestMethods {

    private RequestMethods() {}

    /** Whether the method is one of them. None means all; whatever answers GET answers HEAD, too. */
    public static boolean match(Set<String> methods, String method) {
        return methods.isEmpty() || methods.contains(method) || (method.equals("HEAD") && methods.contains("GET"));
    }
}
