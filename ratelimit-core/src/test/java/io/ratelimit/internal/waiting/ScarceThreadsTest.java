package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How many threads wait of those that are few. */
class ScarceThreadsTest {

    private static final Limit ONE = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1));
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime(0);
    private final AtomicBoolean scarce = new AtomicBoolean(true);
    private final WaitingRateLimiter limiter = new WaitingRateLimiter(
            InMemoryRateLimiter.create(1_000, time.clock()),
            time.scheduler(),
            time::nanos,
            new InTurn(),
            new ScarceThreads(2, scarce::get));

    @Test
    void aCallOfOneMoreThreadIsRefusedAtOnce() {
        use("alice", "bea", "cleo");
        CompletableFuture<Decision> alice = waitAs("alice");
        CompletableFuture<Decision> bea = waitAs("bea");

        Decision other = limiter.acquire(of("cleo"), MINUTE);
        Decision behind = limiter.acquire(of("alice"), MINUTE);

        assertThat(other.allowed()).isFalse();
        assertThat(other.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(behind.allowed()).isFalse();
        assertThat(behind.retryAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(limiter.waiting()).isEqualTo(2);
        time.passSeconds(1);
        assertThat(alice.join().allowed()).isTrue();
        assertThat(bea.join().allowed()).isTrue();
    }

    @Test
    void aCallThatFitsIsAdmittedHoweverManyWait() {
        use("alice", "bea");
        CompletableFuture<Decision> alice = waitAs("alice");
        CompletableFuture<Decision> bea = waitAs("bea");

        assertThat(limiter.acquire(of("cleo"), MINUTE).allowed()).isTrue();

        time.passSeconds(1);
        assertThat(alice.join().allowed()).isTrue();
        assertThat(bea.join().allowed()).isTrue();
    }

    @Test
    void aThreadThatHasWaitedLeavesItsPlace() {
        use("alice", "bea");
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Decision> alice = waitAs("alice");
            CompletableFuture<Decision> bea = waitAs("bea");
            time.passSeconds(1);
            assertThat(alice.join().allowed()).isTrue();
            assertThat(bea.join().allowed()).isTrue();
        }
    }

    @Test
    void callbacksAndOtherThreadsAreNotBounded() {
        use("alice", "bea", "cleo", "dora");
        CompletionStage<Decision> first = limiter.acquireAsync(of("alice"), MINUTE);
        CompletionStage<Decision> second = limiter.acquireAsync(of("bea"), MINUTE);
        CompletionStage<Decision> third = limiter.acquireAsync(of("cleo"), MINUTE);
        scarce.set(false);
        CompletableFuture<Decision> thread = waitAs("dora");

        time.passSeconds(1);

        assertThat(first.toCompletableFuture().join().allowed()).isTrue();
        assertThat(second.toCompletableFuture().join().allowed()).isTrue();
        assertThat(third.toCompletableFuture().join().allowed()).isTrue();
        assertThat(thread.join().allowed()).isTrue();
    }

    private void use(String... subjects) {
        for (String subject : subjects) {
            assertThat(limiter.acquire(of(subject)).allowed()).isTrue();
        }
    }

    private CompletableFuture<Decision> waitAs(String subject) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        Thread thread = new Thread(() -> decision.complete(limiter.acquire(of(subject), MINUTE)));
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        return decision;
    }

    private static Acquisition of(String subject) {
        return Acquisition.of(ONE, subject);
    }
}
