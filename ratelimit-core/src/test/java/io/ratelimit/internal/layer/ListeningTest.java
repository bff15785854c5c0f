package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.Layered;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SlowRateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListeningTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300)), "alice");

    private final List<String> heard = new ArrayList<>();
    private final ManualTime time = new ManualTime(0);
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create());
    private final DecisionListener listener = new DecisionListener() {
        @Override
        public void onDecision(Acquisition acquisition, Decision decision) {
            heard.add(decision.allowed() ? "allowed" : "refused");
        }

        @Override
        public void onFailure(Acquisition acquisition, RuntimeException failure) {
            heard.add(failure.getClass().getSimpleName());
            throw new IllegalStateException("a listener that fails changes nothing");
        }

        @Override
        public void onSettled(Acquisition acquisition, Decision decision, long[] actual) {
            heard.add("settled at " + Arrays.toString(actual));
        }

        @Override
        public void onWaited(Acquisition acquisition, Decision decision, Duration waited) {
            heard.add("waited for " + waited);
        }
    };
    private final RateLimiter limiter = over(store);

    @Test
    void hearsOfEveryDecision() {
        limiter.acquire(ONE);
        limiter.acquireAsync(ONE);
        limiter.peek(ONE);

        assertThat(heard).containsExactly("allowed", "refused");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                IllegalStateException.class,
                NoClassDefFoundError.class,
                AssertionError.class,
                StackOverflowError.class,
                IOException.class
            })
    void aListenerFailsNoCallAndNoOtherListener(Class<? extends Throwable> thrown) throws Exception {
        Throwable failure = thrown.getConstructor().newInstance();
        RateLimiter failing = Layered.over(
                store,
                next -> new Listening(
                        next,
                        List.of(failingWith(failure), (acquisition, decision) -> heard.add("heard")),
                        time::nanos));

        assertThat(failing.acquire(ONE).allowed()).isTrue();
        assertThat(failing.acquireAsync(ONE)).isCompletedWithValueMatching(refused -> !refused.allowed());
        assertThat(heard).containsExactly("heard", "heard");
    }

    @Test
    void aFailureOfTheJvmItselfIsPassedOn() {
        RateLimiter failing = Layered.over(
                store,
                next -> new Listening(next, List.of(failingWith(new OutOfMemoryError("none left"))), time::nanos));

        assertThatThrownBy(() -> failing.acquire(ONE)).isInstanceOf(OutOfMemoryError.class);
    }

    private RateLimiter over(RateLimiter limited) {
        return Layered.over(limited, next -> new Listening(next, List.of(listener), time::nanos));
    }

    private static DecisionListener failingWith(Throwable failure) {
        return (acquisition, decision) -> ListeningTest.<RuntimeException>sneak(failure);
    }

    /** Throws what is not declared, as Kotlin does. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void hearsOfWhatEachChargeActuallyCost() {
        Acquisition two = ONE.and(ONE.charges().get(0).limit(), "bob");
        limiter.settle(two, limiter.acquire(two), 3);

        assertThat(heard).containsExactly("allowed", "settled at [3, 3]");
    }

    @Test
    void hearsThatAnElementCostOne() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofDays(30));
        Acquisition phone = Acquisition.of(devices, "alice", "phone");
        limiter.settle(phone, limiter.acquire(phone), 3);

        assertThat(heard).containsExactly("allowed", "settled at [1]");
    }

    @Test
    void hearsHowLongCallsTookThatMayWait() {
        SlowRateLimiter slow = new SlowRateLimiter(store);
        RateLimiter late = over(slow);
        late.acquireAsync(ONE, Duration.ofMinutes(1));
        time.passSeconds(3);
        slow.answer();

        limiter.acquire(ONE, Duration.ofMinutes(1));

        assertThat(heard).containsExactly("allowed", "waited for PT3S", "refused", "waited for PT0S");
    }

    @Test
    void hearsOfCallsWithoutADecision() {
        store.broken = true;
        assertThatThrownBy(() -> limiter.acquire(ONE)).isInstanceOf(StoreUnavailableException.class);
        assertThat(limiter.acquireAsync(ONE))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);

        assertThat(heard).containsExactly("StoreUnavailableException", "StoreUnavailableException");
    }
}
