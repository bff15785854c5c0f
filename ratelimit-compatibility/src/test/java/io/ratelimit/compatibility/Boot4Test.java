package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SECURITY;
import static io.ratelimit.compatibility.Part.SERVLET;
import static io.ratelimit.compatibility.Part.SERVLET_ON_JETTY;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.compatibility.operations.OperationsApplication;
import io.ratelimit.compatibility.servlet.ServletApplication;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A property of Spring Boot 4, a redirect that is not in the API that the starter is compiled with, and what the pages show of
 * Spring Security on this line.
 */
class Boot4Test {

    @Test
    void findsTheMasterAmongNodesAndCountsWhatIsRedirected() {
        String[] limits = {
            "rate-limiter.key-prefix=" + UUID.randomUUID(),
            "rate-limiter.timeout=2s",
            "rate-limiter.max-requests=5",
            "rate-limiter.routes.moved.paths=/moved",
            "rate-limiter.routes.moved.max-requests=2",
            "spring.data.redis.masterreplica.nodes=" + TestRedis.uri().substring("redis://".length())
        };
        Set<Part> parts = Set.of(SERVLET, SECURITY, REDIS);
        try (Application one = Application.start(ServletApplication.class, parts, limits);
                Application other = Application.start(ServletApplication.class, parts, limits)) {
            assertThat(one.get("/moved").header("Location")).isEqualTo("/elsewhere");
            assertThat(other.statuses("/moved", 2)).containsExactly(303, 429);
        }
    }

    /** Spring Boot 4.1 reads them as empty texts. */
    @Test
    void sectionsOfYamlWithNothingInThemAreNone(@TempDir Path folder) throws IOException {
        Path yaml = Files.writeString(
                folder.resolve("application.yml"),
                "rate-limiter: {max-requests: 5, plans: {}, limits: {}, routes: {}, clients: {}}");
        try (Application application = Application.start(
                ServletApplication.class, Set.of(SERVLET), "spring.config.location=" + yaml.toUri())) {
            assertThat(application.get("/see-other").status()).isEqualTo(303);
        }
    }

    /** On connections of their own, whose requests the server reads while the one before may not have returned. */
    @Test
    void aRedirectFreesItsSlotBeforeItIsSent() throws Exception {
        try (Application application = Application.start(
                ServletApplication.class,
                Set.of(SERVLET_ON_JETTY),
                "rate-limiter.max-requests=5",
                "rate-limiter.routes.moved.paths=/see-other",
                "rate-limiter.routes.moved.use-algo=concurrency",
                "rate-limiter.routes.moved.max-requests=1")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(application.base() + "/see-other"))
                    .build();
            for (int i = 0; i < 100; i++) {
                HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(303);
                assertThat(answer.headers().firstValue("Location")).hasValue("/elsewhere");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Part.class,
            names = {"SERVLET", "SERVLET_ON_JETTY"})
    void aRedirectIsThatOfTheServer(Part server) {
        try (Application application = Application.start(
                ServletApplication.class,
                Set.of(server),
                "server.tomcat.use-relative-redirects=false",
                "rate-limiter.max-requests=5",
                "rate-limiter.routes.moved.paths=/see-other",
                "rate-limiter.routes.moved.max-requests=5",
                "rate-limiter.routes.moved.count=failures")) {
            Answer limited = application.get("/see-other");
            Answer free = application.get("/free/see-other");

            assertThat(limited.header("RateLimit")).isNotNull();
            assertThat(limited.body()).isEmpty();
            for (String header : List.of("Location", "Content-Length", "Transfer-Encoding")) {
                assertThat(limited.header(header)).as(header).isEqualTo(free.header(header));
            }
        }
    }

    @Test
    void operatorsOverrideLimitsAndUsersLogInWithABody() {
        try (Application application = Application.start(
                OperationsApplication.class,
                Set.of(SERVLET, SECURITY),
                "management.endpoints.web.exposure.include=ratelimits",
                "management.endpoint.ratelimits.access=unrestricted",
                "rate-limiter.limits.login.max-requests=5",
                "rate-limiter.limits.login.window-size=15m",
                "rate-limiter.limits.login.count=401,BadCredentialsException")) {
            String limit = "/actuator/ratelimits/limits/login";
            assertThat(application.get("/actuator/ratelimits").status()).isEqualTo(200);
            assertThat(logIns(application, "right", 6)).containsOnly(200);
            assertThat(logIns(application, "wrong", 6)).containsExactly(401, 401, 401, 401, 401, 429);

            String override = "{\"maxRequests\": 50, \"for\": \"30m\"}";
            assertThat(application.post(limit, override).status()).isEqualTo(401);
            assertThat(application.postWithPassword(limit, override).status()).isEqualTo(200);
            assertThat(logIns(application, "right", 1)).containsExactly(200);
        }
    }

    private static List<Integer> logIns(Application application, String password, int times) {
        String json = "{\"username\": \"alice\", \"password\": \"%s\"}".formatted(password);
        return IntStream.range(0, times)
                .mapToObj(i -> application.post("/login", json))
                .map(Answer::status)
                .toList();
    }
}
