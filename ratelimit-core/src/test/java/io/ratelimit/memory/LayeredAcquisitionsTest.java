package io.ratelimit.memory;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import io.ratelimit.testing.Algorithms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Several limits and subjects a call: allowed if each alone would be, charged to all if allowed, to none if not. */
class LayeredAcquisitionsTest {

    private static final long WINDOW = 10 * SECOND;

    /** The time that passes before a call, and the call. */
    record Call(long pauseMicros, List<Charge> charges) {}

    private record Counted(Limit limit, String subject) {}

    @Property
    void areAllOrNothing(@ForAll("calls") List<Call> calls) {
        Layers layers = new Layers();
        for (Call call : calls) {
            layers.clock.addAndGet(call.pauseMicros);
            Acquisition acquisition = new Acquisition(call.charges);
            boolean eachFits = call.charges.stream().allMatch(layers::fits);
            Decision before = layers.limiter.peek(acquisition);

            Decision decision = layers.limiter.acquire(acquisition);

            assertThat(decision.allowed()).isEqualTo(eachFits);
            if (decision.allowed()) {
                call.charges.forEach(layers::keep);
            } else {
                assertThat(layers.limiter.peek(acquisition)).isEqualTo(before);
            }
        }
        layers.admitted.forEach(LayeredAcquisitionsTest::assertKept);
    }

    @Property
    void nameAsRefusingWhatWouldRefuseAlone(@ForAll("calls") List<Call> calls) {
        Layers layers = new Layers();
        for (Call call : calls) {
            layers.clock.addAndGet(call.pauseMicros);
            List<Limit> refusingAlone = call.charges.stream()
                    .filter(charge -> !layers.fits(charge))
                    .map(Charge::limit)
                    .toList();

            Decision decision = layers.limiter.acquire(new Acquisition(call.charges));

            assertThat(decision.refusing()).extracting(LimitStatus::limit).isEqualTo(refusingAlone);
        }
    }

    @Property
    void areAllowedAtTheRetryAfterOfARefusalAndNotOneMicrosecondEarlier(@ForAll("calls") List<Call> calls) {
        Layers layers = new Layers();
        for (Call call : calls) {
            layers.clock.addAndGet(call.pauseMicros);
            Acquisition acquisition = new Acquisition(call.charges);
            Decision decision = layers.limiter.acquire(acquisition);
            if (!decision.allowed()) {
                layers.clock.addAndGet(Micros.of(decision.retryAfter()) - 1);
                assertThat(layers.limiter.peek(acquisition).allowed()).isFalse();
                layers.clock.incrementAndGet();
                assertThat(layers.limiter.peek(acquisition).allowed() || waitsForCallsInFlight(decision))
                        .isTrue();
            }
        }
    }

    private static boolean waitsForCallsInFlight(Decision refused) {
        return refused.refusing().stream()
                .anyMatch(status -> status.limit().algorithm().isReleased());
    }

    /** An empty limiter and the history of its admissions. */
    private static final class Layers {

        final AtomicLong clock = new AtomicLong(at("12:00:00"));
        final RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock::get);
        final Map<Counted, List<Admission>> admitted = new HashMap<>();

        boolean fits(Charge charge) {
            return limiter.peek(new Acquisition(List.of(charge))).allowed();
        }

        void keep(Charge charge) {
            admitted.computeIfAbsent(new Counted(charge.limit(), charge.subject()), counted -> new ArrayList<>())
                    .add(new Admission(clock.get(), charge.cost()));
        }
    }

    @Provide
    Arbitrary<List<Call>> calls() {
        Arbitrary<Long> pauses = Arbitraries.oneOf(
                Arbitraries.just(0L),
                Arbitraries.longs().between(1, WINDOW / 10),
                Arbitraries.longs().between(1, 3 * WINDOW));
        Arbitrary<List<Charge>> charges = charges()
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .uniqueElements(charge -> List.of(charge.limit(), charge.subject()));
        return Combinators.combine(pauses, charges).as(Call::new).list().ofMaxSize(30);
    }

    private static Arbitrary<Charge> charges() {
        return Combinators.combine(
                        Arbitraries.of(Algorithms.ofCosts()).map(LayeredAcquisitionsTest::limit),
                        Arbitraries.of("alice", "acme"),
                        Arbitraries.longs().between(1, 6))
                .as(Charge::new);
    }

    private static Limit limit(Algorithm algorithm) {
        Limit limit = Limit.of("layer", algorithm, 7, Duration.ofNanos(WINDOW * 1_000));
        return algorithm.hasBurst() ? limit.withBurst(9) : limit;
    }

    private static void assertKept(Counted counted, List<Admission> admissions) {
        Limit limit = counted.limit;
        assertThat(AdmittedHistory.of(admissions).mostUsed(limit.algorithm(), limit.quota()))
                .isLessThanOrEqualTo(limit.capacity());
    }
}
