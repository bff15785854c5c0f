package io.ratelimit.benchmarks;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.filter.OncePerRequestFilter;

/** Sets the headers that a limit sets, and decides nothing: what they alone take, with the bytes that server and client pass on. */
@ConditionalOnProperty(HeadersFilter.PROPERTY)
final class HeadersFilter extends OncePerRequestFilter {

    static final String PROPERTY = "headers-alone";

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.setHeader("RateLimit-Policy", "\"ample\";q=1000000000;w=1000000");
        response.setHeader("RateLimit", "\"ample\";r=999999999;t=1");
        response.setHeader("X-RateLimit-Limit", "1000000000");
        response.setHeader("X-RateLimit-Remaining", "999999999");
        response.setHeader("X-RateLimit-Reset", "1");
        chain.doFilter(request, response);
    }
}
