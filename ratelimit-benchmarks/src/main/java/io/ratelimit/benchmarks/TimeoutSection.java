package io.ratelimit.benchmarks;

import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Whether a busy service far from Redis loses calls to the default timeout. */
final class TimeoutSection implements Section {

    private static final Duration ROUND_TRIP = Duration.ofMillis(50);
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(100);

    @Override
    public String id() {
        return "network-timeout";
    }

    @Override
    public String network() {
        return "50 ms";
    }

    @Override
    public String pace(Pace pace) {
        return pace.over(ROUND_TRIP).text();
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        NetworkSection.warmUp(site);
        List<Row> rows = new ArrayList<>();
        try (DelayProxy proxy = DelayProxy.start(site.redis().port(), ROUND_TRIP)) {
            RedisSite far = site.redis().behind(proxy.port());
            for (Callers callers : site.callers()) {
                rows.add(row(callers, lost(callers, far, site.pace().over(ROUND_TRIP))));
            }
        }
        return new Findings(
                id(),
                "Calls lost to the default timeout of 100 ms, round trip of 50 ms",
                "Each kind of callers as in the sections above. Lost is what Redis did not decide in time, of 1,000 calls.",
                rows,
                List.of());
    }

    private static List<Double> lost(Callers callers, RedisSite redis, Pace pace) {
        Subjects subjects = new Subjects(callers.subjects());
        try (Forgiving own = new Forgiving(OwnLimiter.open(redis, Limits.AMPLE, DEFAULT_TIMEOUT))) {
            Contest<Double> contest = new Contest<>();
            contest.add(
                    own.name(), () -> own.lostOfThousand(() -> callers.load().run(own, subjects, pace)));
            return Objects.requireNonNull(contest.run(pace.rounds()).get(own.name()));
        }
    }

    private static Row row(Callers callers, List<Double> lost) {
        return new Row(
                callers.text(),
                new Reading("lost", Unit.OF_THOUSAND, lost),
                Reading.bound(Unit.OF_THOUSAND, 1),
                Target.atMost(0));
    }

    /** Counts the calls that the store does not decide, instead of failing. */
    private record Forgiving(OwnLimiter limiter, LongAdder calls, LongAdder lost) implements AsyncContender {

        Forgiving(OwnLimiter limiter) {
            this(limiter, new LongAdder(), new LongAdder());
        }

        double lostOfThousand(Runnable load) {
            calls.reset();
            lost.reset();
            load.run();
            return 1_000.0 * lost.sum() / calls.sum();
        }

        @Override
        public String name() {
            return limiter.name();
        }

        @Override
        public boolean tryAcquire(String subject) {
            calls.increment();
            try {
                return limiter.tryAcquire(subject);
            } catch (StoreUnavailableException tooLate) {
                lost.increment();
                return true;
            }
        }

        @Override
        public CompletionStage<Boolean> tryAcquireAsync(String subject) {
            calls.increment();
            return limiter.tryAcquireAsync(subject).exceptionally(failure -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (!(cause instanceof StoreUnavailableException)) {
                    throw new CompletionException(cause);
                }
                lost.increment();
                return true;
            });
        }

        @Override
        public void close() {
            limiter.close();
        }
    }
}
