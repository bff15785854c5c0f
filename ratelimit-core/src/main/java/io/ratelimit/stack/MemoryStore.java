package io.ratelimit.stack;

import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.SubjectChange;

/** The store in this process's memory, which answers at once. Thread-safe. */
final class MemoryStore extends Layer {

    private final RateLimiter memory;

    MemoryStore(RateLimiter memory) {
        this.memory = memory;
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide) {
            answer(
                    call,
                    decide.isCharging() ? memory.acquire(decide.acquisition()) : memory.peek(decide.acquisition()));
            return;
        }
        if (call instanceof Settle settle) {
            memory.settle(settle.acquisition(), settle.settled(), settle.actual());
        } else if (call instanceof SubjectChange change) {
            change.applyTo(memory);
        }
        done(call);
    }
}
