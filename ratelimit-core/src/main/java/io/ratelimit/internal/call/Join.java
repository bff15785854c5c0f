package io.ratelimit.internal.call;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits for the ends of several calls that a layer has made, then goes on with their first failure, if any. Thread-safe. */
public final class Join implements Consumer<Call> {

    private final AtomicInteger missing;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Consumer<@Nullable Throwable> then;

    /** @param calls how many calls end here, at least one */
    public Join(int calls, Consumer<@Nullable Throwable> then) {
        this.missing = new AtomicInteger(calls);
        this.then = then;
    }

    @Override
    public void accept(Call ended) {
        if (ended.failure() != null) {
            failure.compareAndSet(null, ended.failure());
        }
        if (missing.decrementAndGet() == 0) {
            then.accept(failure.get());
        }
    }
}
