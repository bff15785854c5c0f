package io.ratelimit.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What layers asked for a call goes its way to the end, also if the caller has its answer before. */
class BlockedThreadTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "alice");

    private final Queue<Runnable> callbacks = new ArrayDeque<>();
    private final BlockedThread caller = new BlockedThread(callbacks::add);
    private final Decide call = new Decide(ONE, true, caller, null, caller);
    private final Decide asked = new Decide(ONE, false, caller, null, ended -> {});
    private final AtomicInteger turns = new AtomicInteger();

    @Test
    void aTurnThatComesWhenTheCallerHasLeftIsRunElsewhere() {
        caller.accept(call);
        caller.await(call);

        asked.goOn(turns::incrementAndGet);

        assertThat(turns).hasValue(0);
        callbacks.remove().run();
        assertThat(turns).hasValue(1);
    }

    @Test
    void soIsOneThatTheCallerHasNotRunWhenItLeaves() {
        call.goOn(() -> {
            asked.goOn(turns::incrementAndGet);
            caller.accept(call);
        });

        caller.await(call);

        assertThat(turns).hasValue(0);
        callbacks.remove().run();
        assertThat(turns).hasValue(1);
    }
}
