package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REACTIVE;
import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SERVLET;
import static io.ratelimit.compatibility.Part.WEBFLUX_GATEWAY;
import static io.ratelimit.compatibility.Part.WEBMVC_GATEWAY;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.ratelimit.compatibility.gateway.webflux.WebFluxGateway;
import io.ratelimit.compatibility.gateway.webmvc.WebMvcGateway;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Spring Cloud Gateway in front of a service that counts what reaches it. */
@Execution(ExecutionMode.SAME_THREAD)
class GatewayTest {

    private static final AtomicInteger REACHED = new AtomicInteger();

    private static HttpServer service;

    private final int before = REACHED.get();

    @BeforeAll
    static void serve() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            REACHED.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        service.start();
    }

    @AfterAll
    static void stop() {
        service.stop(0);
    }

    @Test
    @DisplayName("Spring Cloud Gateway (WebFlux), Redis")
    void webFlux() {
        try (Application gateway = webFlux(
                Set.of(REACTIVE, REDIS, WEBFLUX_GATEWAY),
                "spring.data.redis.url=" + TestRedis.uri(),
                route(1, "args.ratelimit.limits=burst,hourly"),
                route(1, "args.rate-limiter=#{@namedLimits}"))) {
            limitsItsRoutes(gateway);
            decidesByName(gateway);
        }
    }

    @Test
    @DisplayName("Spring Cloud Gateway (WebFlux), no Redis on the class path")
    void webFluxInMemory() {
        try (Application gateway =
                webFlux(Set.of(REACTIVE, WEBFLUX_GATEWAY), route(1, "args.ratelimit.limits=burst,hourly"))) {
            decidesByName(gateway);
        }
    }

    @Test
    void whatThePageShowsConfiguresAGateway() throws IOException {
        try (Application gateway = Application.start(
                WebFluxGateway.class,
                Set.of(REACTIVE, WEBFLUX_GATEWAY),
                "server.netty.max-keep-alive-requests=1",
                "spring.config.additional-location=file:" + yamlOfThePage())) {
            Answer admitted = gateway.get("/orders/1", "X-Api-Key", "k1");

            assertThat(admitted.status()).isEqualTo(204);
            assertThat(admitted.headers().allValues("RateLimit"))
                    .as("of the gateway's route, at cost 2")
                    .singleElement()
                    .asString()
                    .startsWith("\"burst\";r=18;");
        }
    }

    private static Path yamlOfThePage() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "spring-cloud-gateway.md"));
        String yaml = Pattern.compile("^```yaml\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining("---\n"));
        return Files.writeString(
                Files.createTempFile("page", ".yml"), yaml.replace("https://orders.example.org", uri()));
    }

    @Test
    void namesThatNoLimitHasStopTheStart() {
        assertThat(Application.failToStart(
                        WebFluxGateway.class,
                        Set.of(REACTIVE, WEBFLUX_GATEWAY),
                        properties(route(1, "args.ratelimit.limits=burts"))))
                .contains("route 'named'", "limit 'burts' is unknown", "burst");
    }

    @Test
    void disabledItAdmitsEverything() {
        try (Application gateway = webFlux(
                Set.of(REACTIVE, WEBFLUX_GATEWAY),
                "rate-limiter.enabled=false",
                route(1, "args.ratelimit.limits=burst,hourly"))) {
            assertThat(gateway.statuses("/named", 5, "X-Api-Key", "alice")).containsOnly(204);
        }
    }

    @Test
    @DisplayName("Spring Cloud Gateway (WebMVC)")
    void webMvc() {
        try (Application gateway = Application.start(
                WebMvcGateway.class,
                Set.of(SERVLET, WEBMVC_GATEWAY),
                properties(
                        "spring.cloud.gateway.server.webmvc.routes[0].id=open",
                        "spring.cloud.gateway.server.webmvc.routes[0].uri=" + uri(),
                        "spring.cloud.gateway.server.webmvc.routes[0].predicates[0]=Path=/open/**"))) {
            limitsItsRoutes(gateway);
        }
    }

    private void limitsItsRoutes(Application gateway) {
        assertThat(gateway.statuses("/open/1", 3, "X-Api-Key", "alice")).containsExactly(204, 204, 429);
        Answer refused = gateway.get("/open/1", "X-Api-Key", "alice");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("Retry-After")).isNotNull();
        assertThat(gateway.get("/open/1", "X-Api-Key", "bob").header("RateLimit"))
                .isEqualTo("\"open\";r=1;t=3600");
        assertThat(REACHED.get() - before).isEqualTo(3);
    }

    /** In addition to what has reached the service already. */
    private void decidesByName(Application gateway) {
        int reached = REACHED.get();
        assertThat(gateway.log()).doesNotContain("which no route, annotation or bean uses");
        Answer admitted = gateway.get("/named", "X-Api-Key", "alice");
        assertThat(admitted.status()).isEqualTo(204);
        assertThat(admitted.headers().allValues("RateLimit"))
                .containsExactly("\"burst\";r=2;t=3600,\"hourly\";r=99;t=3600");
        assertThat(gateway.statuses("/named", 3, "X-Api-Key", "alice")).containsExactly(204, 204, 429);
        Answer refused = gateway.get("/named", "X-Api-Key", "alice");
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(3500, 3600);
        assertThat(refused.header("RateLimit")).startsWith("\"burst\";r=0;t=").contains("\"hourly\";r=97;");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
        assertThat(gateway.statuses("/named", 1, "X-Api-Key", "bob")).containsExactly(204);
        assertThat(REACHED.get() - reached).isEqualTo(4);
    }

    private static Application webFlux(Set<Part> parts, String... properties) {
        return Application.start(WebFluxGateway.class, parts, properties(properties));
    }

    private static String[] properties(String... properties) {
        String routes = "spring.cloud.gateway.server.webflux.routes";
        List<String> all = new ArrayList<>(List.of(
                "server.netty.max-keep-alive-requests=1", // https://github.com/reactor/reactor-netty/issues/4361
                "rate-limiter.key-prefix=" + UUID.randomUUID(),
                "rate-limiter.timeout=2s",
                "rate-limiter.limits.burst.max-requests=3",
                "rate-limiter.limits.burst.window-size=1h",
                "rate-limiter.limits.hourly.max-requests=100",
                "rate-limiter.limits.hourly.window-size=1h",
                "rate-limiter.routes.open.paths=/open/**",
                "rate-limiter.routes.open.max-requests=2",
                "rate-limiter.routes.open.window-size=1h",
                "rate-limiter.routes.open.key=header:X-Api-Key",
                routes + "[0].id=open",
                routes + "[0].uri=" + uri(),
                routes + "[0].predicates[0]=Path=/open/**",
                routes + "[1].id=named",
                routes + "[1].uri=" + uri(),
                routes + "[1].predicates[0]=Path=/named",
                route(1, "name=RequestRateLimiter")));
        Stream.of(properties).forEach(all::add);
        return all.toArray(String[]::new);
    }

    private static String route(int index, String ofFilter) {
        return "spring.cloud.gateway.server.webflux.routes[%d].filters[0].%s".formatted(index, ofFilter);
    }

    private static String uri() {
        return "http://127.0.0.1:" + service.getAddress().getPort();
    }
}
