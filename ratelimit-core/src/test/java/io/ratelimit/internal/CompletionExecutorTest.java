package io.ratelimit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompletionExecutorTest {

    private final ScheduledExecutorService scheduler = Scheduler.newThread();
    private final CompletionExecutor executor = new CompletionExecutor(scheduler);
    private final CountDownLatch blocking = new CountDownLatch(1);
    private final AtomicInteger completed = new AtomicInteger();

    @AfterEach
    void close() {
        blocking.countDown();
        scheduler.shutdownNow();
    }

    @Test
    void completesEverythingThatManyThreadsHandOver() throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 50_000; n++) {
                    executor.execute(completed::incrementAndGet);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        Awaitility.await().until(() -> completed.get() == 200_000);
    }

    @Test
    void callbacksThatBlockHoldUpNoOthers() {
        for (int i = 0; i < 40; i++) {
            executor.execute(this::block);
        }
        executor.execute(completed::incrementAndGet);

        Awaitility.await().until(() -> completed.get() == 1);
        assertThat(blocking.getCount()).as("the others still block").isEqualTo(1);
    }

    @Test
    void laterCallbacksRunThoughAllEarlierOnesBlock() {
        executor.execute(this::block);
        Awaitility.await().until(() -> blockedThreads() == 1);

        executor.execute(completed::incrementAndGet);

        Awaitility.await().until(() -> completed.get() == 1);
    }

    @Test
    void callbacksThatBlockHoldUpNoOthersAfterTheSchedulerWasShutDown() {
        executor.execute(this::block);
        executor.execute(this::block);
        Awaitility.await().until(() -> blockedThreads() > 0);
        executor.execute(completed::incrementAndGet);
        scheduler.shutdownNow();

        executor.close();
        executor.execute(this::block);
        executor.execute(completed::incrementAndGet);

        Awaitility.await().until(() -> completed.get() == 2);
    }

    @Test
    void theThreadOfTheCallerRunsNoCallback() {
        Thread[] ran = new Thread[1];
        executor.execute(() -> {
            ran[0] = Thread.currentThread();
            completed.incrementAndGet();
        });

        Awaitility.await().until(() -> completed.get() == 1);
        assertThat(ran[0]).isNotSameAs(Thread.currentThread());
        assertThat(ran[0].isDaemon()).isTrue();
    }

    /** As where the process may have no more of them. */
    @Test
    void whatIsQueuedWhileNoThreadCanBeMadeIsCompletedWhenOneCan() {
        AtomicInteger failures = new AtomicInteger(3);
        CompletionExecutor scarce = new CompletionExecutor(scheduler, task -> {
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return DaemonThreads.create("ratelimit-callbacks", task);
        });

        scarce.execute(completed::incrementAndGet);
        scarce.execute(completed::incrementAndGet);

        Awaitility.await().until(() -> completed.get() == 2);
    }

    private void block() {
        try {
            blocking.await(5, TimeUnit.MINUTES);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long blockedThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ratelimit-callbacks"))
                .filter(thread -> thread.getState() == Thread.State.TIMED_WAITING)
                .count();
    }
}
