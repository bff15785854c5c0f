package io.ratelimit.faults;

import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Who asks: how many callers, how long each pauses between two calls, and on what kind of thread. Pauses vary by a half, so
 * that callers who failed at one instant do not go on in step and wait for a processor together.
 *
 * @param kind threads of the platform, virtual ones, or none at all but callbacks
 */
record Callers(Kind kind, int count, Duration pause) {

    enum Kind {
        THREADS,
        VIRTUAL_THREADS,
        CALLBACKS
    }

    /** Three for each failure policy, as fast as they can. */
    static Callers few() {
        return new Callers(Kind.THREADS, 9, Duration.ofNanos(500_000));
    }

    /** 10,000 calls a second in all, which two cores can run: a caller that waits for a processor measures nothing else. */
    static Callers aThousand(Kind kind) {
        return new Callers(kind, 1_000, Duration.ofMillis(100));
    }

    long pauseNanos() {
        long nanos = pause.toNanos();
        return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos);
    }

    /** Starts a thread for a caller that blocks. */
    Thread start(Runnable caller, String name) {
        Thread thread = kind == Kind.VIRTUAL_THREADS ? Threads.virtual(caller) : new Thread(caller, name);
        thread.start();
        return thread;
    }

    /** Calls again and again, each time after the answer and a pause, until a call returns a stage of false. */
    void callBack(Supplier<CompletionStage<Boolean>> call, Runnable ended) {
        Executor afterPause = CompletableFuture.delayedExecutor(pauseNanos(), TimeUnit.NANOSECONDS);
        call.get()
                .thenAcceptAsync(
                        goesOn -> {
                            if (goesOn) {
                                callBack(call, ended);
                            } else {
                                ended.run();
                            }
                        },
                        afterPause);
    }
}
