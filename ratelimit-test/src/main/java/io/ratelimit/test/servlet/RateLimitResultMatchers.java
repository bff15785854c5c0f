package io.ratelimit.test.servlet;

import io.ratelimit.test.RateLimitAnswer;
import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.ResultMatcher;

/**
 * Expectations for {@code MockMvc}. Each fails with the status and the headers of the response.
 *
 * <pre>{@code
 * mvc.perform(get("/search")).andExpectAll(isNotRateLimited(), remaining("hourly", 990));
 * }</pre>
 */
public final class RateLimitResultMatchers {

    private RateLimitResultMatchers() {}

    /** Expects that a limit refused the request: status 429. */
    public static ResultMatcher isRateLimited() {
        return matcher(RateLimitAnswer::isRateLimited);
    }

    /** Expects that no limit refused the request: any status but 429. */
    public static ResultMatcher isNotRateLimited() {
        return matcher(RateLimitAnswer::isNotRateLimited);
    }

    /** Expects {@code Retry-After} to name this time, rounded up to seconds. */
    public static ResultMatcher retryAfter(Duration expected) {
        return matcher(answer -> answer.retryAfter(expected));
    }

    /** Expects the most restrictive limit to have this many requests remaining, by {@code X-RateLimit-Remaining}. */
    public static ResultMatcher remaining(long expected) {
        return matcher(answer -> answer.remaining(expected));
    }

    /** Expects the limit of this name to have this many requests remaining, by the header {@code RateLimit}. */
    public static ResultMatcher remaining(String limit, long expected) {
        return matcher(answer -> answer.remaining(limit, expected));
    }

    private static ResultMatcher matcher(Consumer<RateLimitAnswer> expectation) {
        return result -> {
            MockHttpServletResponse response = result.getResponse();
            expectation.accept(new RateLimitAnswer(response.getStatus(), response::getHeader));
        };
    }
}
