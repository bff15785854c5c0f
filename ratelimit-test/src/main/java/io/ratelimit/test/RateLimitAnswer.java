package io.ratelimit.test;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a response says that the limits stand, and what a test expects of it. Both web stacks' matchers ask it.
 *
 * @param header returns a header of the response, or null
 */
public record RateLimitAnswer(int status, Function<String, @Nullable String> header) {

    private static final int TOO_MANY_REQUESTS = 429;

    /** Fails unless the request was refused by a limit. */
    public void isRateLimited() {
        check(status == TOO_MANY_REQUESTS, "to be refused with status 429");
    }

    /** Fails if the request was refused by a limit. */
    public void isNotRateLimited() {
        check(status != TOO_MANY_REQUESTS, "not to be refused");
    }

    /** Fails unless {@code Retry-After} names this time, which is rounded up to seconds as the header's is. */
    public void retryAfter(Duration expected) {
        long seconds = expected.plusSeconds(1).minusNanos(1).toSeconds();
        check(first("Retry-After").equals(Optional.of(String.valueOf(seconds))), "to have Retry-After: " + seconds);
    }

    /** Fails unless the most restrictive limit has this many requests remaining. */
    public void remaining(long expected) {
        Optional<String> remaining = first("X-RateLimit-Remaining").or(() -> parameter("\"[^\"]+\""));
        check(remaining.equals(Optional.of(String.valueOf(expected))), "to have " + expected + " remaining");
    }

    /** Fails unless the limit of this name has this many requests remaining. */
    public void remaining(String limit, long expected) {
        check(
                parameter(Pattern.quote('"' + limit + '"')).equals(Optional.of(String.valueOf(expected))),
                "to have %d remaining of limit '%s'".formatted(expected, limit));
    }

    private Optional<String> parameter(String item) {
        Matcher matcher = Pattern.compile("(?:^|,)\\s*" + item + ";r=(\\d+)")
                .matcher(first("RateLimit").orElse(""));
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private Optional<String> first(String name) {
        return Optional.ofNullable(header.apply(name));
    }

    private void check(boolean holds, String expectation) {
        if (!holds) {
            throw new AssertionError(
                    "Expected the response %s, but its status is %d, Retry-After: %s, RateLimit: %s, X-RateLimit-Remaining: %s"
                            .formatted(
                                    expectation,
                                    status,
                                    shown("Retry-After"),
                                    shown("RateLimit"),
                                    shown("X-RateLimit-Remaining")));
        }
    }

    private String shown(String name) {
        return first(name).map(value -> "'" + value + "'").orElse("none");
    }
}
