package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.HttpApplication.Served;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures what a route in memory takes of an endpoint that does nothing, and what the headers alone take. */
final class FilterSection implements Section {

    private static final int USERS = 10_000;

    @Override
    public String id() {
        return "filter";
    }

    @Override
    public String network() {
        return "loopback to the endpoint, limits in memory";
    }

    @Override
    public Findings run(Site site) {
        List<Row> rows;
        try (HttpContest contest = new HttpContest(site.pace())) {
            contest.warmUp(
                    List.of(HttpContender.NOBODY, HttpContender.HEADERS, HttpContender.IN_MEMORY),
                    site.redis(),
                    HttpThreads.PLATFORM,
                    USERS);
            rows = rows(contest.run(USERS));
        }
        return new Findings(
                id(),
                "HTTP with limits in memory",
                "%d connections ask an endpoint that does nothing, for %,d users, after a minute of load. Each application is a process of its own, and shares the cores with the load."
                        .formatted(HttpApplication.CONNECTIONS, USERS),
                rows,
                List.of());
    }

    private static List<Row> rows(Map<String, List<Served>> served) {
        Map<String, Reading> perSecond = Reading.each(Unit.REQUESTS_PER_SECOND, served, Served::perSecond);
        Map<String, Reading> cpu = Reading.each(Unit.MICROS, served, Served::cpuMicros);
        List<Row> rows = new ArrayList<>();
        rows.add(row("requests", HttpContender.IN_MEMORY, HttpContender.NOBODY, perSecond, Target.atLeast(0.95)));
        rows.add(row("requests", HttpContender.HEADERS, HttpContender.NOBODY, perSecond, Target.none()));
        rows.add(row("requests", HttpContender.IN_MEMORY, HttpContender.HEADERS, perSecond, Target.none()));
        rows.add(row("processor time", HttpContender.IN_MEMORY, HttpContender.NOBODY, cpu, Target.none()));
        rows.add(row("processor time", HttpContender.HEADERS, HttpContender.NOBODY, cpu, Target.none()));
        return rows;
    }

    private static Row row(
            String what, HttpContender one, HttpContender beside, Map<String, Reading> readings, Target target) {
        return new Row("%s: %s".formatted(one.text(), what), one.in(readings), beside.in(readings), target);
    }
}
