package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** This library beside one EVALSHA per decision and Bucket4j's batching, on a network of one round trip. */
final class NetworkSection implements Section {

    private static final String PROXY =
            "A proxy in a process of its own delays each direction by half of the round trip; all contenders connect through it. A PING took %s.";
    private static final String NO_VIRTUAL = " Virtual threads are left out: this JDK has none.";

    /** Over a longer one, 1,000 callers that each wait for an answer cannot ask three times as often as EVALSHA serves. */
    private static final Duration LONGEST_FOR_THREE_TIMES = Duration.ofMillis(2);

    private static final Pace WARM_UP = new Pace(1, Duration.ZERO, Duration.ofMillis(300), 0, 0, 0);

    private final Duration roundTrip;

    NetworkSection(Duration roundTrip) {
        this.roundTrip = roundTrip;
    }

    static List<Section> all() {
        return IntStream.of(0, 250, 500, 1_000, 2_000, 5_000, 50_000)
                .mapToObj(micros -> (Section) new NetworkSection(Duration.ofNanos(micros * 1_000L)))
                .toList();
    }

    @Override
    public String id() {
        return "network-" + network().replace(" ", "");
    }

    @Override
    public String network() {
        return roundTrip.isZero() ? "loopback" : "%s ms".formatted(Unit.NANOS.number(roundTrip.toNanos() / 1e6));
    }

    @Override
    public String pace(Pace pace) {
        return pace.over(roundTrip).text();
    }

    @Override
    public Findings run(Site site) {
        RedisSite redis = site.redis();
        redis.commands().flushall();
        warmUp(site);
        if (roundTrip.isZero()) {
            return findings(site, redis, "No proxy is in between.");
        }
        try (DelayProxy proxy = DelayProxy.start(redis.port(), roundTrip)) {
            RedisSite far = redis.behind(proxy.port());
            return findings(site, far, PROXY.formatted(Unit.MICROS.text(far.pingMicros())));
        }
    }

    /** On the loopback, where a turn has decisions enough for the compiler. */
    static void warmUp(Site site) {
        try (Contenders here = Contenders.open(site.redis())) {
            site.callers().forEach(callers -> here.contest(callers, WARM_UP).runCold(1));
        }
    }

    private Findings findings(Site site, RedisSite redis, String how) {
        List<Row> rows = new ArrayList<>();
        Pace pace = site.pace().over(roundTrip);
        try (Contenders contenders = Contenders.open(redis)) {
            for (Callers callers : site.callers()) {
                rows.addAll(rows(callers, contenders.contest(callers, pace).runCold(pace.rounds())));
            }
        }
        return new Findings(
                id(),
                "One to 1,000 callers, " + (roundTrip.isZero() ? network() : "round trip of " + network()),
                how + (Threads.haveVirtual() ? "" : NO_VIRTUAL),
                rows,
                List.of());
    }

    private record Contenders(OwnLimiter own, PlainEvalsha evalsha, Bucket4jRedis bucket4j) implements AutoCloseable {

        static Contenders open(RedisSite redis) {
            return new Contenders(OwnLimiter.open(redis), PlainEvalsha.open(redis), Bucket4jRedis.batching(redis));
        }

        /** Bucket4j takes part where it batches: if threads wait for decisions about one subject. */
        Contest<Sample> contest(Callers callers, Pace pace) {
            Subjects subjects = new Subjects(callers.subjects());
            Contest<Sample> contest = new Contest<>();
            for (AsyncContender contender : List.of(own, evalsha)) {
                Pipeline.run(subjects.count(), 1_000, i -> contender.tryAcquireAsync(subjects.get(i)));
                contest.add(contender.name(), () -> callers.load().run(contender, subjects, pace));
            }
            if (callers.load() instanceof BlockingLoad load && callers.isAboutOne()) {
                contest.add(bucket4j.name(), () -> load.run(bucket4j, subjects, pace));
            }
            return contest;
        }

        @Override
        public void close() {
            own.close();
            evalsha.close();
            bucket4j.close();
        }
    }

    private List<Row> rows(Callers callers, Map<String, List<Sample>> samples) {
        Map<String, Reading> decisions = Reading.each(Unit.DECISIONS_PER_SECOND, samples, Sample::perSecond);
        Map<String, Reading> waits = Reading.each(Unit.MICROS, samples, Sample::medianMicros);
        List<Row> rows = new ArrayList<>();
        for (String peer : decisions.keySet()) {
            if (!peer.equals(OwnLimiter.NAME)) {
                rows.add(row(callers.text(), decisions, peer, decisionsTarget(callers, peer)));
                rows.add(row(callers.text() + ": median wait", waits, peer, waitTarget(peer)));
            }
        }
        return rows;
    }

    private static Row row(String what, Map<String, Reading> readings, String peer, Target target) {
        return new Row(
                what,
                Objects.requireNonNull(readings.get(OwnLimiter.NAME)),
                Objects.requireNonNull(readings.get(peer)),
                target);
    }

    private Target decisionsTarget(Callers callers, String peer) {
        if (peer.equals(PlainEvalsha.NAME)) {
            return callers.id().equals("virtual-one") && roundTrip.compareTo(LONGEST_FOR_THREE_TIMES) <= 0
                    ? Target.atLeast(3)
                    : Target.atLeast(1);
        }
        return callers.id().equals("32-one") && !roundTrip.isZero() ? Target.atLeast(1.8) : Target.none();
    }

    private static Target waitTarget(String peer) {
        return peer.equals(PlainEvalsha.NAME) ? Target.atMost(1.1) : Target.none();
    }
}
