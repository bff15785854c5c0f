package io.ratelimit.faults;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Instead of half of a load's calls, some of other kinds: any algorithms, subjects and costs, and limits to be hit. */
final class MixedCalls implements UnaryOperator<Acquisition> {

    private static final int SUBJECTS = 100;
    private static final List<Limit> LIMITS = Algorithms.ofCosts().stream()
            .map(algorithm -> Limit.of("mixed", algorithm, 20, Duration.ofSeconds(1)))
            .toList();

    /** Keys that these calls have at most. */
    static final int MOST_KEYS = SUBJECTS * LIMITS.size();

    private final SeededRandom random = SeededRandom.of("mixed calls");

    @Override
    public Acquisition apply(Acquisition usual) {
        if (random.oneIn(2)) {
            return usual;
        }
        int first = (int) random.between(0, LIMITS.size() - 1);
        int limits = (int) random.between(1, LIMITS.size());
        String subject = "subject " + random.ofAnySize(1, SUBJECTS);
        List<Charge> charges = IntStream.range(first, first + limits)
                .mapToObj(i -> new Charge(LIMITS.get(i % LIMITS.size()), subject, random.ofAnySize(1, 10)))
                .toList();
        return new Acquisition(charges, usual.onStoreFailure());
    }
}
