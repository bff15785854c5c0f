package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;

/** One jar on every line of Spring Boot: what could break there is auto-configuration, so that is what is tried. */
class CompatibilityTest {

    private final HttpClient client = HttpClient.newHttpClient();
    private final String user = UUID.randomUUID().toString();

    @Test
    void limitsAnAnnotatedMethodInMemory() {
        try (ConfigurableApplicationContext application = start("--management.health.redis.enabled=false")) {
            assertThat(statuses(application, "/check?userId=" + user, 6)).containsExactly(200, 200, 200, 200, 200, 429);
            assertThat(get(application, "/actuator/health").body()).contains("UP");
        }
    }

    @Test
    void sharesALimitOverRedis() {
        String url = "--spring.data.redis.url=" + TestRedis.uri();
        try (ConfigurableApplicationContext one = start(url);
                ConfigurableApplicationContext other = start(url)) {
            assertThat(statuses(one, "/check?userId=" + user, 3)).containsOnly(200);
            assertThat(statuses(other, "/check?userId=" + user, 3)).containsExactly(200, 200, 429);
        }
    }

    /** Where Spring Data keeps such settings is not part of its API. */
    @Test
    void findsTheMasterAmongNodesThatAreNamedOneByOne() {
        String node = TestRedis.uri().substring("redis://".length());
        try (ConfigurableApplicationContext application = start("--spring.data.redis.masterreplica.nodes=" + node);
                ConfigurableApplicationContext other = start("--spring.data.redis.url=" + TestRedis.uri())) {
            assertThat(statuses(application, "/check?userId=" + user, 3)).containsOnly(200);
            assertThat(statuses(other, "/check?userId=" + user, 3)).containsExactly(200, 200, 429);
        }
    }

    @Test
    void limitsRoutesAroundSpringSecurity() {
        try (ConfigurableApplicationContext application = start(
                "--rate-limiter.routes.routed.paths=/routed",
                "--rate-limiter.routes.routed.max-requests=2",
                "--rate-limiter.routes.routed.key=ip",
                "--rate-limiter.routes.private.paths=/private",
                "--rate-limiter.routes.private.max-requests=1",
                "--rate-limiter.routes.private.key=principal")) {
            assertThat(statuses(application, "/routed", 3)).containsExactly(200, 200, 429);
            assertThat(statuses(application, "/private", 2)).containsExactly(200, 429);
            HttpResponse<String> refused = get(application, "/routed");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        }
    }

    /** Servlet 6.1 has more ways to redirect than the API that the starter is compiled with. */
    @Test
    void countsWhatSpringSecurityRedirects() {
        try (ConfigurableApplicationContext application =
                start("--rate-limiter.routes.moved.paths=/moved", "--rate-limiter.routes.moved.max-requests=2")) {
            assertThat(get(application, "/moved").headers().firstValue("Location"))
                    .hasValue("/elsewhere");
            assertThat(statuses(application, "/moved", 2)).containsExactly(303, 429);
        }
    }

    @Test
    void countsDecisionsAndShowsLimitsByActuator() {
        try (ConfigurableApplicationContext application =
                start("--management.endpoints.web.exposure.include=ratelimits,metrics")) {
            assertThat(statuses(application, "/check?userId=" + user, 1)).containsExactly(200);
            assertThat(get(application, "/actuator/ratelimits").body()).contains("\"name\":\"default\"");
            assertThat(get(application, "/actuator/ratelimits/param:userId:" + user)
                            .body())
                    .contains("\"remaining\":4");
            assertThat(get(application, "/actuator/metrics/rate.limiter.decisions")
                            .body())
                    .contains("\"statistic\":\"COUNT\",\"value\":1.0");
        }
    }

    @Test
    void saysWhatIsWrongBeforeItStarts() {
        assertThatThrownBy(() -> start("--rate-limiter.limits.login.max-requests=0"))
                .rootCause()
                .hasMessageContaining("max-requests '0'");
    }

    @Test
    void isTheLineThatTheModuleNames() {
        assertThat(System.getProperty("user.dir"))
                .endsWith("boot-" + SpringBootVersion.getVersion().substring(0, 3));
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--rate-limiter.max-requests=5",
                "--rate-limiter.timeout=2s",
                "--spring.security.user.name=user",
                "--spring.security.user.password=password"));
        all.addAll(List.of(arguments));
        return SpringApplication.run(LimitedApplication.class, all.toArray(String[]::new));
    }

    private List<Integer> statuses(ConfigurableApplicationContext application, String path, int times) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(application, path).statusCode());
        }
        return statuses;
    }

    private HttpResponse<String> get(ConfigurableApplicationContext application, String path) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        String credentials = Base64.getEncoder().encodeToString("user:password".getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("Authorization", "Basic " + credentials)
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new IllegalStateException(path, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
