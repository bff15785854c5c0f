package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Ban;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Calls of two subjects under two limits, each of which has several plans: the same name, but other numbers and bans. A peek
 * without bans says what the limits themselves answer, and a {@link BanOracle} what their bans do.
 */
final class BanHistory {

    private static final String[] SUBJECTS = {"alice", "bob"};

    private record Taken(Acquisition acquisition, Decision decision) {}

    private final TwinStores twins;
    private final SeededRandom random;
    private final boolean backwards;
    private final Limit[] plans;
    private final Map<StateId, BanOracle> oracles = new HashMap<>();
    private final List<Taken> taken = new ArrayList<>();
    private long nowMicros;
    private long passedMicros;
    private long waitMicros;
    private int banned;

    BanHistory(TwinStores twins, SeededRandom random, String name) {
        this.twins = twins;
        this.random = random;
        this.backwards = random.oneIn(3);
        this.plans = Stream.of("a", "b")
                .flatMap(limit -> {
                    Algorithm algorithm = random.oneOf(
                            Algorithm.FIXED_WINDOW,
                            Algorithm.SLIDING_WINDOW_LOG,
                            Algorithm.SLIDING_WINDOW_COUNTER,
                            Algorithm.TOKEN_BUCKET,
                            Algorithm.CONCURRENCY);
                    return IntStream.rangeClosed(2, 4)
                            .mapToObj(max -> BanPlans.some(random, name + limit, algorithm, max));
                })
                .toArray(Limit[]::new);
        this.nowMicros = at("12:00:00") + random.between(0, DAY);
    }

    /** Returns how many calls a ban refused. */
    int play(int steps) {
        twins.startAt(nowMicros, backwards);
        for (Limit plan : plans) { // so that memory keeps what is idle for as long as one of them asks for
            twins.peek(Acquisition.of(plan, "nobody"));
        }
        for (int i = 0; i < steps && !(backwards && passedMicros > HOUR); i++) {
            long pause = pause();
            passedMicros += pause;
            nowMicros += pause - (backwards && random.oneIn(8) ? random.ofAnySize(1, HOUR) : 0);
            twins.setClock(nowMicros);
            step();
        }
        return banned;
    }

    private void step() {
        if (random.oneIn(40)) {
            begunOrLifted(random.oneOf(plans), random.oneOf(SUBJECTS));
        } else if (!taken.isEmpty() && random.oneIn(2)) {
            settle(taken.remove((int) random.between(0, taken.size() - 1)));
        } else {
            call(someAcquisition());
        }
    }

    private void call(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        Decision unbanned = twins.peek(BanPlans.withoutBans(acquisition));
        boolean free = IntStream.range(0, charges.size()).allMatch(i -> leftMicros(charges.get(i)) == 0);
        boolean charging = !random.oneIn(5);
        Decision decision = charging ? twins.acquire(acquisition) : twins.peek(acquisition);
        if (charging && !unbanned.allowed() && acquisition.maxWait().isZero()) {
            count(charges, i -> unbanned.limits().get(i).refuses() && counts(charges.get(i), false));
        }
        assertThat(decision.allowed()).isEqualTo(free && unbanned.allowed());
        for (int i = 0; i < charges.size(); i++) {
            check(decision.limits().get(i), unbanned.limits().get(i), leftMicros(charges.get(i)));
        }
        waitMicros = Micros.of(decision.retryAfter());
        banned += free ? 0 : 1;
        if (charging && decision.allowed()) {
            taken.add(new Taken(acquisition, decision));
        }
    }

    private static void check(LimitStatus status, LimitStatus unbanned, long leftMicros) {
        Duration left = Micros.toDuration(leftMicros);
        assertThat(status.bannedFor()).isEqualTo(left);
        if (!left.isZero()) {
            boolean isLonger = unbanned.retryAfter().compareTo(left) > 0;
            assertThat(status.remaining()).isZero();
            assertThat(status.retryAfter()).isEqualTo(isLonger ? unbanned.retryAfter() : left);
        }
    }

    private void settle(Taken call) {
        long[] actual = call.acquisition().charges().stream()
                .mapToLong(charge -> random.between(0, 2))
                .toArray();
        twins.settle(call.acquisition(), call.decision(), actual);
        List<Charge> charges = call.acquisition().charges();
        count(charges, i -> actual[i] > 0 && counts(charges.get(i), true));
    }

    /** Returns whether the charge has a ban that counts failures, or refusals. */
    private static boolean counts(Charge charge, boolean failures) {
        return charge.limit()
                .ban()
                .filter(ban -> ban.countsFailures() == failures)
                .isPresent();
    }

    /** Counts one refusal or failure of each limit and subject of which a charge counts. */
    private void count(List<Charge> charges, IntPredicate counts) {
        Map<BanOracle, List<Ban>> bans = new LinkedHashMap<>();
        IntStream.range(0, charges.size())
                .filter(counts)
                .mapToObj(charges::get)
                .forEach(charge -> bans.computeIfAbsent(oracle(StateId.of(charge)), unknown -> new ArrayList<>())
                        .add(charge.limit().ban().orElseThrow()));
        bans.forEach((oracle, counting) -> oracle.count(counting, nowMicros));
    }

    private void begunOrLifted(Limit limit, String subject) {
        if (limit.ban().isEmpty() || random.oneIn(3)) {
            twins.reset(limit, subject);
            oracles.remove(StateId.of(limit, subject));
        } else if (random.oneIn(2)) {
            twins.unban(limit, subject);
            oracles.remove(StateId.of(limit, subject));
        } else {
            twins.ban(limit, subject);
            oracle(StateId.of(limit, subject)).begin(limit.ban().get(), nowMicros);
        }
    }

    private long leftMicros(Charge charge) {
        return charge.limit()
                .ban()
                .map(ban -> oracle(StateId.of(charge)).leftMicros(ban, nowMicros))
                .orElse(0L);
    }

    private BanOracle oracle(StateId state) {
        BanOracle oracle = oracles.computeIfAbsent(state, unknown -> new BanOracle());
        oracle.now(nowMicros);
        return oracle;
    }

    private Acquisition someAcquisition() {
        List<Charge> charges = new ArrayList<>();
        do {
            charges.add(new Charge(random.oneOf(plans), random.oneOf(SUBJECTS), 1));
        } while (random.oneIn(2) && charges.size() < 4);
        List<Charge> distinct = charges.stream().distinct().toList();
        boolean areOfOneState = distinct.stream().map(StateId::of).distinct().count() < distinct.size();
        if (areOfOneState && distinct.size() > 2) { // together they may never fit a plan
            return someAcquisition();
        }
        Acquisition acquisition = new Acquisition(distinct);
        Acquisition often = !areOfOneState && random.oneIn(6) ? acquisition.upTo(3) : acquisition;
        return random.oneIn(8) ? often.withMaxWait(Duration.ofSeconds(1)) : often;
    }

    private long pause() {
        long pause = switch ((int) random.between(0, 7)) {
            case 0, 1, 2, 3 -> random.between(0, 1);
            case 4 -> random.ofAnySize(1, 10 * MINUTE);
            case 5 -> random.oneIn(3) ? random.ofAnySize(MINUTE, 5 * HOUR) : 0;
            default -> Math.max(0, waitMicros - random.between(0, 1));
        };
        return backwards ? Math.min(pause, 2 * MINUTE) : pause;
    }
}
