package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.Settlements;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The calls of random batches: mostly alike, so that there are some to merge, and of few subjects or many. */
final class RandomBatches {

    private final SeededRandom random;

    /** Neighbours charge one state by different numbers, differ in their window, or have bans. */
    private final List<Limit> limits = Arrays.stream(Algorithm.values())
            .flatMap(algorithm -> Stream.concat(
                    Stream.of(
                            Limit.of("few", algorithm, 6, Duration.ofHours(1)),
                            withSomeBurst(Limit.of("few", algorithm, 6, Duration.ofHours(1))),
                            Limit.of("few", algorithm, 9, Duration.ofHours(1)),
                            Limit.of("few", algorithm, 6, Duration.ofMinutes(1)),
                            banning(algorithm),
                            Limit.of("many", algorithm, 1_000, Duration.ofMinutes(1))),
                    algorithm.isReleased() || algorithm.countsElements()
                            ? Stream.of()
                            : Stream.of(banning(algorithm).banningFailures())))
            .toList();

    private final List<PendingCall> taken = new ArrayList<>();
    private int newSubjects;

    RandomBatches(SeededRandom random) {
        this.random = random;
    }

    /** Has the max of one neighbour, and the capacity of the other. */
    private static Limit withSomeBurst(Limit limit) {
        return limit.algorithm().hasBurst() ? limit.withBurst(9) : limit;
    }

    /** Four lengths take two entries of a request. */
    private static Limit banning(Algorithm algorithm) {
        return Limit.of("banning", algorithm, 6, Duration.ofMinutes(2))
                .withBan(
                        2,
                        Duration.ofMinutes(2),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(2),
                        Duration.ofMinutes(3));
    }

    /** Lets the call be settled later, if that is not also a failure for a ban. */
    void taken(PendingCall call) {
        if (call.charges.stream().noneMatch(charge -> Bans.countsFailure(charge.limit(), 1))) {
            taken.add(call);
        }
    }

    List<PendingCall> next() {
        return random.oneIn(3) ? acquisitionsOfOneAlgorithm() : anything();
    }

    /**
     * Some algorithms decide these in a way of their own, unless a state is unusual: so each second batch is of new subjects. Each call
     * is of one limit, and a state now and then of several.
     */
    private List<PendingCall> acquisitionsOfOneAlgorithm() {
        Algorithm algorithm = random.oneOf(Algorithm.TOKEN_BUCKET, random.oneOf(Algorithm.values()));
        Limit[] alike = limits.stream()
                .filter(limit -> limit.algorithm() == algorithm && limit.ban().isEmpty())
                .toArray(Limit[]::new);
        String subject = "new " + newSubjects++ / 2 + " ";
        Limit mostly = random.oneOf(alike);
        List<PendingCall> calls = new ArrayList<>();
        for (long left = random.ofAnySize(1, 40); left > 0; left--) {
            Limit limit = random.oneIn(20) ? random.oneOf(alike) : mostly;
            Charge charge = charge(limit, subject + random.between(1, 5), random.between(1, 3), someElement());
            calls.add(call(Operation.ACQUIRE, List.of(charge), 1));
        }
        return calls;
    }

    private String someElement() {
        return "element " + random.ofAnySize(1, 20);
    }

    private static Charge charge(Limit limit, String subject, long cost, String element) {
        return limit.algorithm().countsElements()
                ? new Charge(limit, subject, element)
                : new Charge(limit, subject, cost);
    }

    private List<PendingCall> anything() {
        List<PendingCall> calls = new ArrayList<>();
        List<Limit> asked = someLimits();
        long subjects = random.ofAnySize(1, 300);
        for (long left = random.ofAnySize(1, 120); left > 0; left--) {
            if (random.oneIn(12)) {
                asked = someLimits();
            }
            calls.add(!taken.isEmpty() && random.oneIn(20) ? someSettlement() : someCall(asked, subjects));
        }
        return calls;
    }

    private List<Limit> someLimits() {
        int first = (int) random.between(0, limits.size() - 1);
        return limits.subList(first, (int) random.between(first + 1, Math.min(limits.size(), first + 3)));
    }

    private PendingCall someCall(List<Limit> asked, long subjects) {
        String subject = "subject " + random.between(1, subjects);
        long cost = random.oneIn(4) ? random.between(1, 3) : 1;
        String element = someElement();
        List<Charge> charges = asked.stream()
                .map(limit -> charge(limit, subject, cost, element))
                .toList();
        Operation operation = random.oneIn(3) ? someOperation(charges) : Operation.ACQUIRE;
        return switch (operation) {
            case FAIL -> call(operation, which(charges, limit -> Bans.countsFailure(limit, 1)), 1);
            case BAN -> call(operation, which(charges, limit -> limit.ban().isPresent()), 1);
            case BLOCK -> {
                boolean refusesAll = charges.get(0).limit().algorithm().countsElements() || random.oneIn(2);
                yield Asked.blocking(
                        charges.get(0), random.ofAnySize(1, 180_000_000), refusesAll ? 0 : random.ofAnySize(1, 60));
            }
            default -> call(operation, charges, random.oneIn(5) ? timesOf(charges) : 1);
        };
    }

    private Operation someOperation(List<Charge> charges) {
        Operation operation = random.oneOf(
                Operation.PEEK,
                Operation.TRY,
                Operation.FAIL,
                Operation.BAN,
                random.oneIn(10) ? Operation.BLOCK : Operation.PEEK);
        return switch (operation) {
            case FAIL -> which(charges, limit -> Bans.countsFailure(limit, 1)).isEmpty() ? Operation.PEEK : operation;
            case BAN -> Bans.areIn(charges) && random.oneIn(20) ? operation : Operation.PEEK;
            default -> operation;
        };
    }

    private static List<Charge> which(List<Charge> charges, Predicate<Limit> condition) {
        return charges.stream()
                .filter(charge -> condition.test(charge.limit()))
                .limit(1)
                .toList();
    }

    /** Only charges of different states can be taken as often as fits. */
    private int timesOf(List<Charge> charges) {
        Charge first = charges.get(0);
        boolean fits = charges.size() == 1 && first.element().isEmpty();
        return fits ? new Acquisition(charges).upTo((int) random.between(1, 5)).times() : 1;
    }

    private static PendingCall call(Operation operation, List<Charge> charges, int times) {
        return Asked.call(operation, charges, times, 0);
    }

    private PendingCall someSettlement() {
        PendingCall call = taken.remove((int) random.between(0, taken.size() - 1));
        List<Charge> charged =
                Amounts.times(call.charges, Asked.answer(call).join().taken());
        long[] actual = charged.stream()
                .mapToLong(charge -> random.oneIn(2)
                        ? 0
                        : random.ofAnySize(1, 4 * charge.limit().capacity()))
                .toArray();
        return Asked.settling(
                charged, Settlements.ofEach(charged, actual), Asked.answer(call).join(), 0);
    }
}
