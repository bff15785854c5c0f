package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.HttpApplication.Served;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Measures a request in a process that has just started, until it is warm. */
final class ColdHttpSection implements Section {

    private static final int FIRST = 20_000;
    private static final int USERS = 10_000;
    private static final Duration WINDOW = Duration.ofSeconds(2);

    private record Beginning(Served first, Served after10, Served after25) {}

    @Override
    public String id() {
        return "http-cold";
    }

    @Override
    public String pace(Pace pace) {
        return Pace.forks(pace.rounds());
    }

    @Override
    public Findings run(Site site) {
        Contest<Beginning> contest = new Contest<>();
        for (HttpContender contender : List.of(HttpContender.NOBODY, HttpContender.ROUTE, HttpContender.SCRIPT)) {
            contest.add(contender.text(), () -> begin(contender, site.redis()));
        }
        Map<String, List<Beginning>> begun = contest.runCold(site.pace().rounds());
        Map<String, Function<Beginning, Served>> times = new LinkedHashMap<>();
        times.put("first 20,000 requests", Beginning::first);
        times.put("2 s after 10 s of load", Beginning::after10);
        times.put("2 s after 25 s of load", Beginning::after25);
        List<Row> rows = new ArrayList<>();
        times.forEach((time, served) -> {
            Map<String, Reading> cpu =
                    Reading.each(Unit.MICROS, begun, each -> served.apply(each).cpuMicros());
            Reading own = HttpContender.ROUTE.in(cpu);
            Reading script = HttpContender.SCRIPT.in(cpu);
            Reading none = HttpContender.NOBODY.in(cpu);
            rows.add(new Row(time, own, script, Target.atMost(1)));
            rows.add(new Row(time, own, none, Target.none()));
        });
        return new Findings(
                id(),
                "HTTP over Redis, in a process that has just started",
                "Processor time of the application for a request, as above, of 10,000 users; each contender and round has a new process, which is asked as soon as its port is open.",
                rows,
                List.of());
    }

    private static Beginning begin(HttpContender contender, RedisSite redis) {
        try (HttpApplication application = contender.start(redis, HttpThreads.PLATFORM);
                HttpLoad load = application.load(USERS)) {
            long startNanos = System.nanoTime();
            Served first = application.during(load, () -> load.await(FIRST));
            sleepUntil(startNanos + Duration.ofSeconds(10).toNanos());
            Served after10 = application.during(load, WINDOW);
            sleepUntil(startNanos + Duration.ofSeconds(25).toNanos());
            return new Beginning(first, after10, application.during(load, WINDOW));
        }
    }

    private static void sleepUntil(long nanos) {
        DecisionMeter.sleep(Duration.ofNanos(Math.max(0, nanos - System.nanoTime())));
    }
}
