package io.ratelimit.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Several quotas take turns on one bucket, and some calls charge two of them. */
class TokenBucketPlansTest {

    private static final long WINDOW = 1_000;

    /** A pause, as a number of µs or, if negative, as the wait of the last refusal, and the charges of a call. */
    record Call(long pauseMicros, List<Charge> charges) {}

    record Charge(int quota, long cost) {}

    record Admitted(long atMicros, long cost) {}

    @Property
    void allTogetherAdmitNoMoreThanTheLargestBucketAndTheFastestRate(
            @ForAll("quotas") List<Quota> quotas, @ForAll("calls") List<Call> calls) {
        Bucket bucket = new Bucket(quotas);
        calls.forEach(bucket::call);

        long largest = quotas.stream().mapToLong(Quota::capacity).max().orElseThrow();
        long fastest = quotas.stream().mapToLong(Quota::maxRequests).max().orElseThrow();
        assertWithin(new Quota(fastest, WINDOW, largest), bucket.admitted);
    }

    @Property
    void everyRetryAfterIsExactAndNoLongerThanTheOwnBucketTakesToRefill(
            @ForAll("quotas") List<Quota> quotas, @ForAll("calls") List<Call> calls) {
        Bucket bucket = new Bucket(quotas);
        for (Call call : calls) {
            bucket.call(call);
            long wait = bucket.retryAfterMicros(call.charges(), bucket.now);

            assertThat(wait).isLessThanOrEqualTo(bucket.longestRefillMicros(call.charges()));
            assertThat(bucket.retryAfterMicros(call.charges(), bucket.now + wait))
                    .isZero();
            if (wait > 0) {
                assertThat(bucket.retryAfterMicros(call.charges(), bucket.now + wait - 1))
                        .isEqualTo(1);
            }
        }
    }

    @Property
    void remainingAndResetAfterAreExactForEachQuota(
            @ForAll("quotas") List<Quota> quotas, @ForAll("calls") List<Call> calls) {
        Bucket bucket = new Bucket(quotas);
        for (Call call : calls) {
            bucket.call(call);
            for (Quota quota : quotas) {
                long remaining = bucket.tally.remaining(quota, bucket.now);
                long reset = bucket.tally.resetAfterMicros(quota, bucket.now);

                assertThat(remaining).isBetween(0L, quota.capacity());
                assertThat(remaining == 0 || bucket.tally.retryAfterMicros(quota, bucket.now, remaining, 0) == 0)
                        .isTrue();
                assertThat(bucket.tally.remaining(quota, bucket.now + reset)).isEqualTo(quota.capacity());
                if (reset > 0) {
                    assertThat(bucket.tally.remaining(quota, bucket.now + reset - 1))
                            .isLessThan(quota.capacity());
                }
                assertThat(bucket.tally.lastsMicros(quota, bucket.now)).isGreaterThanOrEqualTo(reset);
            }
        }
    }

    private static void assertWithin(Quota quota, List<Admitted> admitted) {
        for (int first = 0; first < admitted.size(); first++) {
            long taken = 0;
            for (Admitted call : admitted.subList(first, admitted.size())) {
                taken += call.cost();
                long refilled = (call.atMicros() - admitted.get(first).atMicros()) * quota.maxRequests();
                assertThat(taken * WINDOW)
                        .as("%s admitted %s", quota, admitted)
                        .isLessThanOrEqualTo(quota.capacity() * WINDOW + refilled);
            }
        }
    }

    /** Decides as the stores do. */
    private static final class Bucket {

        final Tally tally = new TokenBucket();
        final List<Admitted> admitted = new ArrayList<>();
        final List<Quota> quotas;
        long now = WINDOW;
        long wait;

        Bucket(List<Quota> quotas) {
            this.quotas = quotas;
        }

        void call(Call call) {
            now += call.pauseMicros() < 0 ? wait : call.pauseMicros();
            wait = retryAfterMicros(call.charges(), now);
            if (wait == 0 && fits(call.charges())) {
                for (Charge charge : call.charges()) {
                    tally.take(quotas.get(charge.quota()), now, charge.cost());
                    admitted.add(new Admitted(now, charge.cost()));
                }
            }
        }

        /** Returns 0 for what never fits. */
        long retryAfterMicros(List<Charge> charges, long atMicros) {
            long ahead = 0;
            long longest = 0;
            for (Charge charge : fits(charges) ? charges : List.<Charge>of()) {
                Quota quota = quotas.get(charge.quota());
                longest = Math.max(longest, tally.retryAfterMicros(quota, atMicros, charge.cost(), ahead));
                ahead += charge.cost();
            }
            return longest;
        }

        long longestRefillMicros(List<Charge> charges) {
            return charges.stream()
                    .map(charge -> quotas.get(charge.quota()).refillMicros())
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }

        private boolean fits(List<Charge> charges) {
            long ahead = 0;
            for (Charge charge : charges) {
                ahead += charge.cost();
                if (ahead > quotas.get(charge.quota()).capacity()) {
                    return false;
                }
            }
            return true;
        }
    }

    @Provide
    Arbitrary<List<Quota>> quotas() {
        return Combinators.combine(
                        Arbitraries.longs().between(1, 12), Arbitraries.longs().between(1, 24))
                .as((max, burst) -> new Quota(max, WINDOW, burst))
                .list()
                .ofSize(3);
    }

    @Provide
    Arbitrary<List<Call>> calls() {
        Arbitrary<List<Charge>> charges = Combinators.combine(
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.longs().between(1, 12))
                .as(Charge::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(2);
        Arbitrary<Long> pauses = Arbitraries.oneOf(
                Arbitraries.just(-1L), Arbitraries.just(0L), Arbitraries.longs().between(0, 2 * WINDOW));
        return Combinators.combine(pauses, charges).as(Call::new).list().ofMaxSize(40);
    }
}
