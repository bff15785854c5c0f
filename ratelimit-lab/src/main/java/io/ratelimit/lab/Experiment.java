package io.ratelimit.lab;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * What is done to all contenders alike. Immutable.
 *
 * @param how one paragraph: what is done, and with what numbers
 * @param atOnce so many contenders go at once; few where calls come in bursts, so that none delays another's
 * @param callers so many threads make the calls
 * @param clockError how wrong the clock of the last instance is
 * @param roundTrip of the network between instances and Redis
 * @param incident what happens to Redis half-way
 * @param pictured whether the most in any window is shown as a chart, too
 * @param underestimated by how much the calls of all callers together may cost more than they were charged at first
 */
record Experiment(
        String id,
        String title,
        String how,
        Rate rate,
        int instances,
        Set<Need> needs,
        int atOnce,
        int callers,
        ClockError clockError,
        Duration roundTrip,
        Incident incident,
        boolean pictured,
        long underestimated,
        Function<Random, List<Planned>> plan) {

    /** One instance with a right clock on loopback; contenders go at once. */
    static Builder of(String id, String title) {
        return new Builder(id, title);
    }

    /** Whether the first time at which a refused call fits is known: nobody forgets or corrects what was counted. */
    boolean isWaitKnown() {
        return incident == Incident.NONE && underestimated == 0;
    }

    /** Not thread-safe. */
    static final class Builder {

        private static final int CALLERS = 8;

        private final String id;
        private final String title;
        private String how = "";
        private Rate rate = Rate.perSecond(100);
        private int instances = 1;
        private final Set<Need> needs = EnumSet.noneOf(Need.class);
        private int atOnce = Integer.MAX_VALUE;
        private int callers = CALLERS;
        private ClockError clockError = ClockError.NONE;
        private Duration roundTrip = Duration.ZERO;
        private Incident incident = Incident.NONE;
        private boolean pictured;
        private long underestimated;

        private Builder(String id, String title) {
            this.id = id;
            this.title = title;
        }

        Builder how(String text) {
            how = text;
            return this;
        }

        Builder limit(long perSecond) {
            return rate(Rate.perSecond(perSecond));
        }

        Builder rate(Rate other) {
            rate = other;
            return this;
        }

        Builder needs(Need need) {
            needs.add(need);
            return this;
        }

        Builder callers(int count) {
            callers = count;
            return this;
        }

        /** Few contenders at once, because the calls come in bursts. */
        Builder apart() {
            atOnce = 3;
            return this;
        }

        Builder instances(int count) {
            instances = count;
            callers = CALLERS * count;
            return needs(Need.INSTANCES);
        }

        int instances() {
            return instances;
        }

        Builder lastClock(ClockError error) {
            clockError = error;
            return this;
        }

        Builder roundTrip(Duration network) {
            roundTrip = network;
            return needs(Need.REDIS);
        }

        Builder incident(Incident what) {
            incident = what;
            return needs(Need.REDIS);
        }

        Builder pictured() {
            pictured = true;
            return this;
        }

        Builder underestimated(long most) {
            underestimated = most;
            return needs(Need.COSTS).needs(Need.SETTLING);
        }

        Experiment plan(Function<Random, List<Planned>> plan) {
            return new Experiment(
                    id,
                    title,
                    how,
                    rate,
                    instances,
                    Set.copyOf(needs),
                    atOnce,
                    callers,
                    clockError,
                    roundTrip,
                    incident,
                    pictured,
                    underestimated,
                    plan);
        }
    }
}
