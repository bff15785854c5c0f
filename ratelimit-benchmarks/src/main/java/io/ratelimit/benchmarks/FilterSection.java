package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;

/** What the servlet filter takes of the throughput of an endpoint that does nothing. */
final class FilterSection implements Section {

    private static final int CONNECTIONS = 16;

    /** Each of them in turn, for what one leaves to the compiler the other needs too. */
    private static final int WARM_UPS = 3;

    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final String WITH = "with one route, in memory";
    private static final String HEADERS = "the same headers, by a filter that decides nothing";
    private static final String WITHOUT = "without the filter";
    private static final String PORT = "--server.port=0";
    private static final String KEEP_ALIVE = "--server.tomcat.max-keep-alive-requests=-1";
    private static final List<String> NO_LIMITS = List.of(PORT, KEEP_ALIVE, "--rate-limiter.enabled=false");
    private static final List<String> HEADERS_ALONE =
            List.of(PORT, KEEP_ALIVE, "--rate-limiter.enabled=false", "--" + HeadersFilter.PROPERTY + "=true");
    private static final List<String> ROUTE = List.of(
            PORT,
            KEEP_ALIVE,
            "--rate-limiter.store=in-memory",
            "--rate-limiter.limits.ample.use-algo=token-bucket",
            "--rate-limiter.limits.ample.max-requests=" + Limits.BURST,
            "--rate-limiter.routes.ping.paths=" + TrivialApplication.PLAIN,
            "--rate-limiter.routes.ping.limits=ample",
            "--rate-limiter.routes.ping.key=ip");

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
        try (ServletWebServerApplicationContext with = TrivialApplication.start(ROUTE);
                ServletWebServerApplicationContext headers = TrivialApplication.start(HEADERS_ALONE);
                ServletWebServerApplicationContext without = TrivialApplication.start(NO_LIMITS)) {
            Contest<Double> contest = new Contest<>();
            for (int i = 0; i < WARM_UPS; i++) {
                perSecond(with, Duration.ZERO, WARM_UP);
                perSecond(headers, Duration.ZERO, WARM_UP);
                perSecond(without, Duration.ZERO, WARM_UP);
            }
            Pace pace = site.pace();
            contest.add(WITH, () -> perSecond(with, pace.settle(), pace.measure()));
            contest.add(HEADERS, () -> perSecond(headers, pace.settle(), pace.measure()));
            contest.add(WITHOUT, () -> perSecond(without, pace.settle(), pace.measure()));
            Map<String, Reading> readings = Reading.each(Unit.REQUESTS_PER_SECOND, contest.run(pace.rounds()));
            String title = "Servlet filter on a trivial endpoint";
            return new Findings(
                    id(),
                    title,
                    "%d connections, each asks for the next answer when it has one; Spring Boot's embedded Tomcat and the clients share the machine."
                            .formatted(CONNECTIONS),
                    List.of(
                            row(WITH, WITHOUT, Target.atLeast(0.95), readings),
                            row(HEADERS, WITHOUT, Target.none(), readings),
                            row(WITH, HEADERS, Target.none(), readings)),
                    List.of(new BarChart(title, List.copyOf(readings.values()))));
        }
    }

    private static Row row(String what, String beside, Target target, Map<String, Reading> readings) {
        return new Row(
                what, Objects.requireNonNull(readings.get(what)), Objects.requireNonNull(readings.get(beside)), target);
    }

    private static double perSecond(ServletWebServerApplicationContext application, Duration settle, Duration measure) {
        int port = application.getWebServer().getPort();
        try (HttpLoad load = new HttpLoad(port, CONNECTIONS, TrivialApplication.PLAIN, 1)) {
            DecisionMeter.sleep(settle);
            return load.perSecond(measure);
        }
    }
}
