package io.ratelimit.spring.internal.redis;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/** The first attempt to connect, for which calls wait that come before there is a connection. Thread-safe. */
final class FirstAttempt {

    private final CountDownLatch ended = new CountDownLatch(1);

    /** Lets all that wait go on: there is a connection, the attempt has failed, or it takes longer than a call may. */
    void end() {
        ended.countDown();
    }

    /**
     * Blocks until the attempt has ended, for two seconds at most: no call waits after the first one that did so in vain, as for several
     * Sentinels that are silent. Returns at once on threads that must not block.
     */
    void await() {
        if (isNonBlocking()) {
            return;
        }
        try {
            if (!ended.await(LimiterClientSettings.CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                end();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** True on the event loops of Netty, also those of the application's clients, and on Reactor's threads for short tasks. */
    private static boolean isNonBlocking() {
        return Thread.currentThread() instanceof FastThreadLocalThread || Schedulers.isInNonBlockingThread();
    }
}
