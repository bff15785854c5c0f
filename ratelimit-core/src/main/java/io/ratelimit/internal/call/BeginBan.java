package io.ratelimit.internal.call;

import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Begins the next ban of a subject. */
public final class BeginBan extends SubjectChange {

    BeginBan(Limit limit, String subject, Executor threads, Consumer<Call> then) {
        super(limit, subject, threads, then);
    }

    @Override
    public void applyTo(RateLimiter limiter) {
        limiter.ban(limit(), subject());
    }
}
