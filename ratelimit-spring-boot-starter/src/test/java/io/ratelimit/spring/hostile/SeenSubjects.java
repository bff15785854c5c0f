package io.ratelimit.spring.hostile;

import io.ratelimit.spring.internal.web.QueryParam;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.util.DigestUtils;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Stands before everything else and notes what the requests that were counted gave as subject, as the server read it.
 * Where each of those has a key of its own, nobody shares one.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class SeenSubjects extends OncePerRequestFilter {

    private static final Map<String, Function<HttpServletRequest, String>> VALUES = Map.of(
            "header", request -> request.getHeader("X-User"),
            "param", SeenSubjects::param,
            "cookie", SeenSubjects::cookie);

    private final Map<String, Set<String>> digests = new ConcurrentHashMap<>();
    private final AtomicInteger longest = new AtomicInteger();

    int longest() {
        return longest.get();
    }

    /** Digests of what that limit has seen; addresses, which stand in for nothing at all, are not among them. */
    Set<String> of(String limit) {
        return digests.getOrDefault(limit, Set.of());
    }

    static Set<String> limits() {
        return VALUES.keySet();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, response);
        String shown = response.getHeader("RateLimit");
        if (shown != null) {
            VALUES.forEach((limit, value) -> {
                if (shown.contains('"' + limit + '"')) {
                    note(limit, value.apply(request));
                }
            });
        }
    }

    private void note(String limit, String value) {
        if (value != null && !value.isBlank()) {
            longest.accumulateAndGet(value.length(), Math::max);
            digests.computeIfAbsent(limit, first -> ConcurrentHashMap.newKeySet())
                    .add(DigestUtils.md5DigestAsHex(value.getBytes(StandardCharsets.UTF_16BE)));
        }
    }

    private static String param(HttpServletRequest request) {
        return request.getQueryString() == null ? null : QueryParam.first(request.getQueryString(), "user");
    }

    private static String cookie(HttpServletRequest request) {
        Cookie cookie = WebUtils.getCookie(request, "user");
        return cookie == null ? null : cookie.getValue();
    }
}
