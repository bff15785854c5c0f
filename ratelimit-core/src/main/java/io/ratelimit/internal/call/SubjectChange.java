package io.ratelimit.internal.call;

import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Changes what is kept of one subject, without a decision. */
public abstract sealed class SubjectChange extends Call permits Forget, BeginBan, Block {

    private final Limit limit;
    private final String subject;

    SubjectChange(Limit limit, String subject, Executor threads, Consumer<Call> then) {
        super(threads, null, then);
        this.limit = limit;
        this.subject = subject;
    }

    /** Creates a change that a layer makes for another one. */
    SubjectChange(Limit limit, String subject, SubjectChange other, Layer madeBy, Consumer<Call> then) {
        super(other, madeBy, then);
        this.limit = limit;
        this.subject = subject;
    }

    public final Limit limit() {
        return limit;
    }

    public final String subject() {
        return subject;
    }

    /** Makes this change in a limiter that answers at once. */
    public abstract void applyTo(RateLimiter limiter);
}
