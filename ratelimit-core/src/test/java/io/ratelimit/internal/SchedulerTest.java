package io.ratelimit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchedulerTest {

    private final ScheduledExecutorService executor = Scheduler.newThread();

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    @Test
    void cancellingDoesNotTouchTheQueueWhoseLockAnEventLoopWouldWaitFor() {
        Future<?> timer = executor.schedule(() -> {}, 1, TimeUnit.HOURS);

        timer.cancel(false);

        assertThat(((ScheduledThreadPoolExecutor) executor).getQueue()).hasSize(1);
    }

    @Test
    void aCancelledActionIsForgottenAtOnce() {
        Object[] held = {new Object()};
        WeakReference<Object> reference = new WeakReference<>(held[0]);
        Future<?> timer = executor.schedule(new Action(held[0]), 1, TimeUnit.HOURS);
        held[0] = null;

        timer.cancel(false);

        Awaitility.await().until(() -> {
            System.gc();
            return reference.get() == null;
        });
        assertThat(timer).isCancelled();
    }

    private record Action(Object held) implements Runnable {

        @Override
        public void run() {}
    }
}
