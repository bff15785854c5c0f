package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class ObservedDecisionsTest {

    private static final Limit ONE = Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300));
    private static final Acquisition ALICE = Acquisition.of(ONE, "alice");

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> stopped = new ArrayList<>();

    @Test
    void observesEachDecision() {
        record();
        RateLimiter limiter = observed();
        limiter.acquire(ALICE);
        limiter.acquireAsync(ALICE);
        limiter.peek(ALICE);

        assertThat(stopped)
                .extracting(Observation.Context::getName)
                .containsExactly("rate.limiter.decision", "rate.limiter.decision");
        assertThat(stopped).extracting(context -> value(context, "outcome")).containsExactly("allowed", "refused");
        assertThat(stopped).extracting(context -> value(context, "source")).containsOnly("store");
        assertThat(stopped).extracting(context -> value(context, "limits")).containsOnly("one");
    }

    @Test
    void reportOnlyWouldRefuse() {
        record();
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .reportOnly(true)
                .listener(new ObservedDecisions(registry))
                .build()) {
            stack.acquire(ALICE);
            stack.acquire(ALICE);
        }

        assertThat(stopped).extracting(context -> value(context, "outcome")).containsExactly("allowed", "would-refuse");
    }

    @Test
    void aLimitThatOnlyReportsWouldRefuse() {
        record();
        Acquisition reporting = Acquisition.of(ALICE.charges().get(0).limit().withReportOnly(), "alice");
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .listener(new ObservedDecisions(registry))
                .build()) {
            stack.acquire(reporting);
            stack.acquire(reporting);
        }

        assertThat(stopped).extracting(context -> value(context, "outcome")).containsExactly("allowed", "would-refuse");
    }

    @Test
    void aCallWithoutADecisionIsAnError() {
        record();
        try (RateLimiterStack stack = RateLimiterStack.onRedis(new NotConnected())
                .onStoreFailure(FailurePolicy.CLOSED)
                .listener(new ObservedDecisions(registry))
                .build()) {
            assertThatThrownBy(() -> stack.acquire(ALICE)).isInstanceOf(StoreUnavailableException.class);
            assertThat(stack.acquireAsync(ALICE))
                    .failsWithin(Patience.LONGEST)
                    .withThrowableOfType(ExecutionException.class);
        }

        assertThat(stopped).extracting(context -> value(context, "outcome")).containsExactly("error", "error");
        assertThat(stopped)
                .extracting(Observation.Context::getError)
                .allSatisfy(error -> assertThat(error).isInstanceOf(StoreUnavailableException.class));
    }

    @Test
    void noKeyHoldsASubject() {
        record();
        observed().acquire(ALICE);

        assertThat(stopped.get(0).getAllKeyValues())
                .noneMatch(key -> key.getValue().contains("alice"));
    }

    @Test
    void aHandlerThatFailsDoesNotFailTheDecision() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                throw new IllegalStateException("wrong by the test");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        RateLimiter limiter = observed();

        assertThat(limiter.acquire(ALICE).allowed()).isTrue();
        assertThat(limiter.acquireAsync(ALICE)).isCompletedWithValueMatching(decision -> !decision.allowed());
    }

    private RateLimiter observed() {
        return RateLimiterStack.inMemory()
                .listener(new ObservedDecisions(registry))
                .build();
    }

    private void record() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    private static String value(Observation.Context context, String key) {
        return context.getAllKeyValues().stream()
                .filter(each -> each.getKey().equals(key))
                .map(KeyValue::getValue)
                .findFirst()
                .orElseThrow();
    }
}
