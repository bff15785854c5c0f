package io.ratelimit.internal.call;

import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Drops what is counted for a subject and lifts its ban, or lifts the ban only. */
public final class Forget extends SubjectChange {

    private final boolean bansOnly;

    Forget(Limit limit, String subject, boolean bansOnly, Executor threads, Consumer<Call> then) {
        super(limit, subject, threads, then);
        checkSubject(limit, subject);
        this.bansOnly = bansOnly;
    }

    /** Checks that a limit can have counted that subject; throws {@link IllegalArgumentException} if it is empty. */
    public static void checkSubject(Limit limit, String subject) {
        if (subject.isEmpty()) {
            throw new IllegalArgumentException(
                    "limit '%s' was given the subject '': pass the one that was counted".formatted(limit.name()));
        }
    }

    private Forget(Limit limit, String subject, Forget other, Layer madeBy, Consumer<Call> then) {
        super(limit, subject, other, madeBy, then);
        this.bansOnly = other.bansOnly;
    }

    /** Creates the same for another limit and subject, which a layer makes for this call. */
    public Forget of(Limit other, String otherSubject, Layer madeBy, Consumer<Call> then) {
        return new Forget(other, otherSubject, this, madeBy, then);
    }

    @Override
    public void applyTo(RateLimiter limiter) {
        if (bansOnly) {
            limiter.unban(limit(), subject());
        } else {
            limiter.reset(limit(), subject());
        }
    }

    /** Returns whether what is counted stays. */
    public boolean isOfBansOnly() {
        return bansOnly;
    }
}
