package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The sample application over HTTP, its limits counted in Redis, beside the same without limits. */
final class HttpSection implements Section {

    private static final int MANY = 10_000;
    private static final Duration WARM_UP = Duration.ofSeconds(8);
    private static final String ONE_USER = "limits in Redis, one user";
    private static final String MANY_USERS = "limits in Redis, 10,000 users";
    private static final String WITHOUT = "without limits";

    @Override
    public String id() {
        return "http";
    }

    @Override
    public Findings run(Site site) {
        if (!Wrk.isInstalled()) {
            return findings("Skipped: `wrk` is not installed.", List.of());
        }
        try (ApplicationProcess with =
                        ApplicationProcess.sample(site.redis(), "rate-limiter.max-requests=" + Limits.BURST);
                ApplicationProcess without = ApplicationProcess.sample(site.redis(), "rate-limiter.enabled=false")) {
            Wrk.run(with.port(), MANY, WARM_UP);
            Wrk.run(without.port(), MANY, WARM_UP);
            Duration time = site.pace().measure();
            Contest<Sample> contest = new Contest<>();
            contest.add(ONE_USER, () -> Wrk.run(with.port(), 1, time));
            contest.add(MANY_USERS, () -> Wrk.run(with.port(), MANY, time));
            contest.add(WITHOUT, () -> Wrk.run(without.port(), MANY, time));
            Map<String, List<Sample>> samples = contest.run(site.pace().rounds());
            Map<String, Reading> requests = Reading.each(Unit.REQUESTS_PER_SECOND, samples, Sample::perSecond);
            Map<String, Reading> waits = Reading.each(Unit.MICROS, samples, Sample::medianMicros);
            return findings(
                    "`wrk` with 32 connections asks `/check` of the sample application, whose annotated method counts by user; the endpoint itself does nothing. Each application is a process of its own; they, wrk and Redis share the cores.",
                    List.of(
                            row(ONE_USER, requests),
                            row(ONE_USER + ": median wait", waits),
                            row(MANY_USERS, requests),
                            row(MANY_USERS + ": median wait", waits)));
        }
    }

    private Findings findings(String how, List<Row> rows) {
        return new Findings(id(), "HTTP end to end, on Redis", how, rows, List.of());
    }

    private static Row row(String what, Map<String, Reading> readings) {
        return new Row(
                what,
                Objects.requireNonNull(readings.get(what.replace(": median wait", ""))),
                Objects.requireNonNull(readings.get(WITHOUT)),
                Target.none());
    }
}
