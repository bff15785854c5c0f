package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.HttpApplication.Served;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Warm applications that take turns, each in a process of its own. They, the load and Redis share the cores. */
final class HttpContest implements AutoCloseable {

    private static final Duration WARM_UP = Duration.ofSeconds(60);

    private final Map<HttpContender, HttpApplication> applications = new LinkedHashMap<>();
    private final Pace pace;

    HttpContest(Pace pace) {
        this.pace = pace;
    }

    /** Starts an application for each contender, and serves from it for a minute, less if the pace has fewer rounds. */
    void warmUp(List<HttpContender> contenders, RedisSite redis, HttpThreads threads, int users) {
        contenders.forEach(contender -> applications.put(contender, contender.start(redis, threads)));
        Duration warmUp =
                WARM_UP.multipliedBy(pace.rounds()).dividedBy(Pace.thorough().rounds());
        applications.values().forEach(application -> serve(application, users, Duration.ZERO, warmUp));
    }

    /** Returns what each contender served in its turns, by its text. */
    Map<String, List<Served>> run(int users) {
        Contest<Served> contest = new Contest<>();
        applications.forEach((contender, application) ->
                contest.add(contender.text(), () -> serve(application, users, pace.settle(), pace.measure())));
        return contest.run(pace.rounds());
    }

    private static Served serve(HttpApplication application, int users, Duration settle, Duration measure) {
        try (HttpLoad load = application.load(users)) {
            DecisionMeter.sleep(settle);
            return application.during(load, measure);
        }
    }

    @Override
    public void close() {
        applications.values().forEach(HttpApplication::close);
    }
}
