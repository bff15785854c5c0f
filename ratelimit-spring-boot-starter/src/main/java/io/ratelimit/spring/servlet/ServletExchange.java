package io.ratelimit.spring.servlet;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.http.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts decisions on a servlet response. All that decide on one request add to the same headers. */
final class ServletExchange {

    private static final Logger LOG = LoggerFactory.getLogger(ServletExchange.class);
    private static final String STATUSES = ServletExchange.class.getName() + ".statuses";

    private ServletExchange() {}

    static void writeHeaders(
            RateLimitHeaders headers, Decision decision, HttpServletRequest request, HttpServletResponse response) {
        synchronized (request) { // an endpoint may make limited calls in parallel
            List<LimitStatus> statuses = withThoseBefore(request, decision.limits());
            request.setAttribute(STATUSES, headers.write(statuses, response::setHeader));
            ExposedHeaders.add(request, response);
        }
    }

    /** The same where the request may be over by now: what is charged and admitted does not fail for its headers. */
    static void tryWriteHeaders(
            RateLimitHeaders headers, Decision decision, HttpServletRequest request, HttpServletResponse response) {
        try {
            writeHeaders(headers, decision, request, response);
        } catch (RuntimeException over) {
            LOG.debug("The response is over, it does not say how the limits stand: {}", over.toString());
        }
    }

    /** Names of the limits that the response says something about. */
    static Set<String> shownLimits(HttpServletRequest request) {
        return withThoseBefore(request, List.of()).stream()
                .map(status -> status.limit().name())
                .collect(Collectors.toSet());
    }

    @SuppressWarnings("unchecked") // the attribute is set here only
    private static List<LimitStatus> withThoseBefore(HttpServletRequest request, List<LimitStatus> statuses) {
        List<LimitStatus> before = (List<LimitStatus>) request.getAttribute(STATUSES);
        if (before == null) {
            return statuses;
        }
        List<LimitStatus> all = new ArrayList<>(before);
        all.addAll(statuses);
        return all;
    }
}
