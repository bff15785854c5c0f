package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Layer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingBlockTest {

    private static final Layer STORE = new Layer() {
        @Override
        public void call(Call call) {}
    };

    private final AtomicInteger madeLate = new AtomicInteger();
    private final Block asked = new Block(
            Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1)),
            "alice",
            0,
            Duration.ofHours(1),
            Runnable::run,
            ended -> {});
    private final PendingBlock block = PendingBlock.of(asked, System.nanoTime(), STORE);

    PendingBlockTest() {
        asked.whenMadeLate(madeLate::incrementAndGet);
    }

    @Test
    void oneThatRedisHasMadeInTimeIsNotLate() {
        block.complete(Decision.unanswered(), Runnable::run);

        assertThat(madeLate).hasValue(0);
    }

    @Test
    void oneWhoseReplyComesAfterItsCallerGotAFailureIsLate() {
        block.completeExceptionally(new StoreUnavailableException("silent for the test"));
        block.complete(Decision.unanswered(), Runnable::run);

        assertThat(madeLate).hasValue(1);
    }

    @Test
    void oneThatIsPassedOnAgainIsLate() {
        block.completeExceptionally(new StoreUnavailableException("away for the test"));
        block.later(Duration.ofMinutes(1).toNanos()).complete(Decision.unanswered(), Runnable::run);

        assertThat(madeLate).hasValue(1);
    }
}
