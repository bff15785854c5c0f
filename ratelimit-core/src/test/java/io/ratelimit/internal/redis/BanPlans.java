package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Plans of limits with random bans. */
final class BanPlans {

    private static final Duration WINDOW = Duration.ofHours(1);

    private BanPlans() {}

    /** Returns the acquisition as the limits themselves decide it. */
    static Acquisition withoutBans(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges().stream()
                .map(charge -> new Charge(withoutBan(charge.limit()), charge.subject(), charge.cost()))
                .toList();
        return new Acquisition(charges, Optional.empty(), acquisition.times());
    }

    private static Limit withoutBan(Limit limit) {
        return Limit.of(limit.name(), limit.algorithm(), limit.maxRequests(), limit.windowSize());
    }

    /** Returns a plan of a limit, mostly with a ban. The times are at least a minute, because Redis' TTLs run on real time. */
    static Limit some(SeededRandom random, String name, Algorithm algorithm, int max) {
        Limit limit = Limit.of(name, algorithm, max, WINDOW);
        Duration[] lengths = IntStream.range(0, (int) random.between(1, 4))
                .mapToObj(i -> Micros.toDuration(random.ofAnySize(MINUTE, 2 * HOUR)))
                .sorted()
                .toArray(Duration[]::new);
        Limit banning = limit.withBan(
                (int) random.between(1, 4), Micros.toDuration(random.ofAnySize(MINUTE, 2 * HOUR)), lengths);
        return random.oneIn(6)
                ? limit
                : algorithm.countsCosts() && random.oneIn(3) ? banning.banningFailures() : banning;
    }
}
