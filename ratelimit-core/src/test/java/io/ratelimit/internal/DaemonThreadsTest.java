package io.ratelimit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that serve all callers keep nothing of the one that needed them first, but its class loader. */
class DaemonThreadsTest {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    private final ScheduledExecutorService scheduler = Scheduler.newThread();
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void close() {
        TENANT.remove();
        Thread.currentThread().setContextClassLoader(before);
        scheduler.shutdownNow();
    }

    @Test
    void timersDoNotInherit() {
        inheritsTheClassLoaderAlone(scheduler);
    }

    @Test
    void callbacksDoNotInherit() {
        inheritsTheClassLoaderAlone(new CompletionExecutor(scheduler));
    }

    private static void inheritsTheClassLoaderAlone(Executor threads) {
        TENANT.set("acme");
        ClassLoader own = new ClassLoader(null) {};
        Thread.currentThread().setContextClassLoader(own);

        String tenant = CompletableFuture.supplyAsync(() -> String.valueOf(TENANT.get()), threads)
                .join();
        ClassLoader loader = CompletableFuture.supplyAsync(
                        () -> Thread.currentThread().getContextClassLoader(), threads)
                .join();

        assertThat(tenant).isEqualTo("null");
        assertThat(loader).isSameAs(own);
    }
}
