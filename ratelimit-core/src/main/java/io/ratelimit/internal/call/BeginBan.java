package io.ratelimit.internal.call;

import io.ratelimit.Limit;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Begins the next ban of a subject. */
public final class BeginBan extends Call {

    private final Limit limit;
    private final String subject;

    BeginBan(Limit limit, String subject, Executor threads, Consumer<Call> then) {
        super(threads, null, then);
        this.limit = limit;
        this.subject = subject;
    }

    public Limit limit() {
        return limit;
    }

    public String subject() {
        return subject;
    }
}
