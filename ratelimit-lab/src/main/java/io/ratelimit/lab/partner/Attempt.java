package io.ratelimit.lab.partner;

import java.time.Duration;

/**
 * The outcome of one attempt to send a request.
 *
 * @param retryAfter what the partner asks for; zero unless it refused
 */
record Attempt(Outcome outcome, Duration retryAfter) {

    enum Outcome {
        /** Answered 200. */
        ALLOWED,
        /** Answered 429. */
        REFUSED,
        /** Not sent, because the limiter did not admit it in time. */
        NOT_SENT
    }

    static final Attempt NOT_SENT = new Attempt(Outcome.NOT_SENT, Duration.ZERO);
}
