package io.ratelimit.lab;

import io.ratelimit.benchmarks.RedisSite;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is done to all contenders alike. Immutable.
 *
 * @param how one paragraph: what is done, and with what numbers
 * @param atOnce so many contenders go at once; few where calls come in bursts, so that none delays another's
 * @param clockShift by how much the clock of the last instance is wrong
 * @param roundTrip of the network between instances and Redis
 * @param incident what happens to Redis half-way
 */
record Experiment(
        String id,
        String title,
        String how,
        Rate rate,
        int instances,
        Set<Need> needs,
        int atOnce,
        int threads,
        Duration clockShift,
        Duration roundTrip,
        Consumer<RedisSite> incident,
        Function<Random, List<Planned>> plan) {

    private static final int ALL = Integer.MAX_VALUE;
    static final Consumer<RedisSite> NO_INCIDENT = redis -> {};

    /** One instance with a right clock on loopback; contenders go at once. */
    static Experiment of(String id, String title, String how, Function<Random, List<Planned>> plan) {
        return new Experiment(
                id,
                title,
                how,
                Rate.perSecond(100),
                1,
                Set.of(),
                ALL,
                8,
                Duration.ZERO,
                Duration.ZERO,
                NO_INCIDENT,
                plan);
    }

    /** Whether Redis forgets what it counted, so that no wait can be right. */
    boolean isDisturbed() {
        return incident != NO_INCIDENT;
    }

    Experiment apart(int callers) {
        return new Experiment(
                id, title, how, rate, instances, needs, 5, callers, clockShift, roundTrip, incident, plan);
    }

    Experiment needing(Need need) {
        return new Experiment(
                id, title, how, rate, instances, Set.of(need), atOnce, threads, clockShift, roundTrip, incident, plan);
    }

    Experiment on(int count, Duration wrongBy) {
        return new Experiment(
                id,
                title,
                how,
                rate,
                count,
                Set.of(Need.INSTANCES),
                atOnce,
                8 * count,
                wrongBy,
                roundTrip,
                incident,
                plan);
    }

    Experiment over(Duration network) {
        return new Experiment(
                id,
                title,
                how,
                rate,
                instances,
                Set.of(Need.REDIS),
                atOnce,
                network.toMillis() > 10 ? 32 : threads,
                clockShift,
                network,
                incident,
                plan);
    }

    Experiment with(Consumer<RedisSite> what) {
        return new Experiment(
                id,
                title,
                how,
                rate,
                instances,
                Set.of(Need.REDIS),
                atOnce,
                threads,
                clockShift,
                roundTrip,
                what,
                plan);
    }

    Experiment at(Rate other) {
        return new Experiment(
                id, title, how, other, instances, needs, atOnce, threads, clockShift, roundTrip, incident, plan);
    }
}
