package io.ratelimit.test.reactive;

import io.ratelimit.test.RateLimitAnswer;
import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec.ResponseSpecConsumer;

/**
 * Expectations for {@code WebTestClient}. Each fails with the status and the headers of the response.
 *
 * <pre>{@code
 * client.get().uri("/search").exchange().expectAll(isNotRateLimited(), remaining("hourly", 990));
 * }</pre>
 */
public final class RateLimitSpecs {

    private RateLimitSpecs() {}

    /** Expects that a limit refused the request: status 429. */
    public static ResponseSpecConsumer isRateLimited() {
        return spec(RateLimitAnswer::isRateLimited);
    }

    /** Expects that no limit refused the request: any status but 429. */
    public static ResponseSpecConsumer isNotRateLimited() {
        return spec(RateLimitAnswer::isNotRateLimited);
    }

    /** Expects {@code Retry-After} to name this time, rounded up to seconds. */
    public static ResponseSpecConsumer retryAfter(Duration expected) {
        return spec(answer -> answer.retryAfter(expected));
    }

    /** Expects the most restrictive limit to have this many requests remaining, by {@code X-RateLimit-Remaining}. */
    public static ResponseSpecConsumer remaining(long expected) {
        return spec(answer -> answer.remaining(expected));
    }

    /** Expects the limit of this name to have this many requests remaining, by the header {@code RateLimit}. */
    public static ResponseSpecConsumer remaining(String limit, long expected) {
        return spec(answer -> answer.remaining(limit, expected));
    }

    private static ResponseSpecConsumer spec(Consumer<RateLimitAnswer> expectation) {
        return response -> {
            // does not read the body, which the test may want to read or which may never end
            FluxExchangeResult<Void> result = response.returnResult(Void.class);
            HttpHeaders headers = result.getResponseHeaders();
            expectation.accept(new RateLimitAnswer(result.getStatus().value(), headers::getFirst));
        };
    }
}
