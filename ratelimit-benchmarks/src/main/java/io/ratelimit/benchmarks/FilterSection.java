package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;

/** What the servlet filter takes of the throughput of an endpoint that does nothing. */
final class FilterSection implements Section {

    private static final int CONNECTIONS = 16;

    /** Each of the two in turn, for what one leaves to the compiler the other needs too. */
    private static final int WARM_UPS = 3;

    private static final Pace WARM_UP = new Pace(1, Duration.ZERO, Duration.ofSeconds(5), 0, 0, 0);
    private static final String WITH = "with one route, in memory";
    private static final String WITHOUT = "without the filter";
    private static final List<String> ROUTE = List.of(
            "rate-limiter.store=in-memory",
            "rate-limiter.routes.ping.paths=" + TrivialApplication.PATH,
            "rate-limiter.routes.ping.use-algo=token-bucket",
            "rate-limiter.routes.ping.max-requests=1000000000",
            "rate-limiter.routes.ping.key=ip");

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
                ServletWebServerApplicationContext without =
                        TrivialApplication.start(List.of("rate-limiter.enabled=false"))) {
            Contest<Double> contest = new Contest<>();
            for (int i = 0; i < WARM_UPS; i++) {
                load(with).run(WARM_UP);
                load(without).run(WARM_UP);
            }
            contest.add(WITH, () -> load(with).run(site.pace()).perSecond());
            contest.add(WITHOUT, () -> load(without).run(site.pace()).perSecond());
            Map<String, Reading> readings = Reading.each(
                    Unit.REQUESTS_PER_SECOND, contest.run(site.pace().rounds()));
            String title = "Servlet filter on a trivial endpoint";
            return new Findings(
                    id(),
                    title,
                    "%d connections, each asks for the next answer when it has one; Spring Boot's embedded Tomcat and the clients share the machine."
                            .formatted(CONNECTIONS),
                    List.of(new Row(
                            WITH,
                            Objects.requireNonNull(readings.get(WITH)),
                            Objects.requireNonNull(readings.get(WITHOUT)),
                            Target.atLeast(0.9))),
                    List.of(new BarChart(title, List.copyOf(readings.values()))));
        }
    }

    private static HttpLoad load(ServletWebServerApplicationContext application) {
        return new HttpLoad(application.getWebServer().getPort(), CONNECTIONS);
    }
}
