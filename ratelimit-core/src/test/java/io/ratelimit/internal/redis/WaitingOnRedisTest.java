package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.WaitingContract;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadsLeft.class)
class WaitingOnRedisTest extends WaitingContract {

    private RedisUnderTest redis;

    @Override
    protected RateLimiter store(ManualTime time) {
        redis = RedisUnderTest.withClockOfItsOwn().withoutExpiry();
        return new AtOnce(time);
    }

    @AfterEach
    void close() {
        redis.close();
    }

    /** Sets the clock and waits for the answer, so that a call is decided at the time at which it is made. */
    private final class AtOnce implements RateLimiter {

        private final ManualTime time;
        private final RateLimiter limiter = redis.limiter();

        private AtOnce(ManualTime time) {
            this.time = time;
        }

        @Override
        public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
            return now(() -> limiter.acquire(acquisition));
        }

        @Override
        public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
            return now(() -> limiter.peek(acquisition));
        }

        @Override
        public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
            return done(() -> limiter.settle(acquisition, decision, actual));
        }

        @Override
        public CompletionStage<Void> resetAsync(Limit limit, String subject) {
            return done(() -> limiter.reset(limit, subject));
        }

        @Override
        public CompletionStage<Void> banAsync(Limit limit, String subject) {
            return done(() -> limiter.ban(limit, subject));
        }

        @Override
        public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
            return done(() -> limiter.unban(limit, subject));
        }

        @Override
        public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
            return done(() -> limiter.cap(limit, subject, remaining, length));
        }

        private CompletionStage<Void> done(Runnable call) {
            return now(() -> {
                        call.run();
                        return true;
                    })
                    .thenAccept(done -> {});
        }

        private <T> CompletionStage<T> now(Supplier<T> call) {
            redis.setClock(time.micros());
            return CompletableFuture.completedFuture(call.get());
        }
    }
}
