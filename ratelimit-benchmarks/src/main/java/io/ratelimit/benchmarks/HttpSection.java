package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.HttpApplication.Served;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures limits of a warm application over HTTP, beside what its users would write themselves. */
final class HttpSection implements Section {

    private static final int MANY = 10_000;

    private final HttpThreads threads;

    HttpSection(HttpThreads threads) {
        this.threads = threads;
    }

    @Override
    public String id() {
        return threads.id;
    }

    @Override
    public boolean isPossible() {
        return threads.areHere();
    }

    @Override
    public Findings run(Site site) {
        List<Row> rows = new ArrayList<>();
        try (HttpContest contest = new HttpContest(site.pace())) {
            contest.warmUp(HttpContender.ALL, site.redis(), threads, MANY);
            rows.addAll(rows("one user", contest.run(1)));
            rows.addAll(rows("10,000 users", contest.run(MANY)));
        }
        return new Findings(
                id(),
                threads.title,
                "%d connections ask an endpoint that does nothing, after a minute of load. Each application is a process of its own; they, the load and Redis share the cores. The script is Spring Cloud Gateway's token bucket, run by `StringRedisTemplate` in a `HandlerInterceptor`, where Bucket4j and Redisson stand, too. Processor time is the application's for a request; added is what it takes more than without limits."
                        .formatted(HttpApplication.CONNECTIONS),
                rows,
                List.of());
    }

    private static List<Row> rows(String users, Map<String, List<Served>> served) {
        Map<String, Reading> cpu = Reading.each(Unit.MICROS, served, Served::cpuMicros);
        Map<String, Reading> perSecond = Reading.each(Unit.REQUESTS_PER_SECOND, served, Served::perSecond);
        Reading none = HttpContender.NOBODY.in(cpu);
        Reading script = HttpContender.SCRIPT.in(cpu).beyond(none);
        List<Row> rows = new ArrayList<>();
        for (HttpContender own : List.of(HttpContender.ROUTE, HttpContender.ANNOTATION)) {
            String what = "%s, %s: ".formatted(own.text().replace("this library, ", ""), users);
            rows.add(new Row(what + "processor time", own.in(cpu), none, Target.none()));
            rows.add(new Row(what + "processor time added", own.in(cpu).beyond(none), script, Target.atMost(0.8)));
            rows.add(new Row(
                    what + "requests", own.in(perSecond), HttpContender.SCRIPT.in(perSecond), Target.atLeast(1.1)));
        }
        for (HttpContender peer : List.of(HttpContender.BUCKET4J, HttpContender.REDISSON)) {
            rows.add(new Row(
                    "a route, %s: requests".formatted(users),
                    HttpContender.ROUTE.in(perSecond),
                    peer.in(perSecond),
                    Target.none()));
        }
        return rows;
    }
}
