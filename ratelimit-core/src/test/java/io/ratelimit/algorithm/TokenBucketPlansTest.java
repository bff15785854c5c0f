package io.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What one of several quotas of a bucket admits stays within its own burst and rate, whatever the others admit between. */
class TokenBucketPlansTest {

    private static final long WINDOW = 1_000;

    record Call(long pauseMicros, int quota, long cost) {}

    record Admitted(long atMicros, long cost) {}

    @Property
    void eachQuotaAdmitsNoMoreThanItsOwnNumbers(
            @ForAll("quotas") List<Quota> quotas, @ForAll("calls") List<Call> calls) {
        Subject subject = new Subject(new TokenBucket(), quotas.get(0));
        List<List<Admitted>> admitted = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        long now = WINDOW;
        for (Call call : calls) {
            now += call.pauseMicros();
            subject.changeLimitTo(quotas.get(call.quota()));
            if (subject.admits(call.cost(), now)) {
                admitted.get(call.quota()).add(new Admitted(now, call.cost()));
            }
        }

        for (int i = 0; i < quotas.size(); i++) {
            assertWithin(quotas.get(i), admitted.get(i));
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
        return Combinators.combine(
                        Arbitraries.longs().between(0, 2 * WINDOW),
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.longs().between(1, 12))
                .as(Call::new)
                .list()
                .ofMaxSize(40);
    }
}
