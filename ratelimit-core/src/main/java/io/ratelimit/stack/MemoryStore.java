package io.ratelimit.stack;

import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;

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
        } else if (call instanceof Forget forget && forget.isOfBansOnly()) {
            memory.unban(forget.limit(), forget.subject());
        } else if (call instanceof Forget forget) {
            memory.reset(forget.limit(), forget.subject());
        } else if (call instanceof BeginBan ban) {
            memory.ban(ban.limit(), ban.subject());
        } else if (call instanceof Block block) {
            memory.cap(block.limit(), block.subject(), block.remaining(), block.length());
        }
        done(call);
    }
}
