package io.ratelimit.spring.servlet;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.http.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;

/** Puts decisions on a servlet response. All that decide on one request add to the same headers. */
final class ServletExchange {

    private static final String STATUSES = ServletExchange.class.getName() + ".statuses";

    private ServletExchange() {}

    static void writeHeaders(
            RateLimitHeaders headers, Decision decision, HttpServletRequest request, HttpServletResponse response) {
        List<LimitStatus> statuses = withThoseBefore(request, decision.limits());
        request.setAttribute(STATUSES, headers.write(statuses, response::setHeader));
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
