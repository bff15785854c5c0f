package io.ratelimit.spring.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import io.ratelimit.spring.testing.Patience;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

class RemotesTest {

    private static final URI PARTNER = URI.create("https://partner.example");

    private final RateLimiter limiter = InMemoryRateLimiter.create();
    private final AtomicBoolean isCircle = new AtomicBoolean(true);
    private final CountDownLatch asked = new CountDownLatch(2);

    /** Each may hold the lock of the container that the other one needs. */
    @Test
    void requestsThatNeedTheLimiterDoNotWaitForEachOther() {
        Remotes remotes = remotes(this::whenBothAsk);
        isCircle.set(false);

        CompletableFuture<?> one = CompletableFuture.runAsync(() -> remotes.call(PARTNER), RemotesTest::run);
        CompletableFuture<?> other = CompletableFuture.runAsync(() -> remotes.call(PARTNER), RemotesTest::run);

        assertThat(CompletableFuture.allOf(one, other)).succeedsWithin(Patience.LONGEST);
    }

    private RateLimiter whenBothAsk() {
        if (isCircle.get()) {
            throw new BeanCurrentlyInCreationException("limiter");
        }
        asked.countDown();
        try {
            assertThat(asked.await(Patience.LONGEST.toSeconds() / 6, TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return limiter;
    }

    private Remotes remotes(Supplier<RateLimiter> provided) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        Expressions expressions = new Expressions(beans);
        Remote partner = new Remote(
                "partner",
                RemoteHost.parse(PARTNER.getHost()).stream().toList(),
                List.of(Limit.of("hourly", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1))),
                new SubjectKeyParser(beans, expressions).parse("global", "here", null),
                List.of(),
                Duration.ZERO,
                Duration.ofHours(1));
        return new Remotes(
                List.of(partner), provided, () -> new CallLimiter(limiter, (limit, reason) -> {}), expressions);
    }

    private static void run(Runnable task) {
        new Thread(task).start();
    }
}
