package io.ratelimit.compatibility.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** One jar on every line of Spring Boot, under BlockHound: what blocks on an event loop fails its request. */
class WebFluxTest {

    private static final String CREDENTIALS =
            Base64.getEncoder().encodeToString("user:password".getBytes(StandardCharsets.UTF_8));

    private static final String PREFIX = UUID.randomUUID().toString();

    private final String user = UUID.randomUUID().toString();

    @BeforeAll
    static void watch() {
        BlockHound.install();
    }

    @Test
    void blockHoundSpeaks() {
        assertThatThrownBy(() -> Mono.fromRunnable(() -> sleep(Duration.ofMillis(1)))
                        .subscribeOn(Schedulers.parallel())
                        .block())
                .hasRootCauseInstanceOf(BlockingOperationError.class);
    }

    @Test
    void limitsInMemory() {
        try (ConfigurableApplicationContext application = start("--management.health.redis.enabled=false")) {
            holds(application);
        }
    }

    @Test
    void limitsOverRedis() {
        String url = "--spring.data.redis.url=" + TestRedis.uri();
        try (ConfigurableApplicationContext one = start(url);
                ConfigurableApplicationContext other = start(url)) {
            holds(one);
            assertThat(statuses(other, "/check?userId=" + user, 1)).containsExactly(429);
        }
    }

    @Test
    void limitsWhileRedisIsAway() {
        try (ConfigurableApplicationContext application =
                start("--spring.data.redis.url=redis://127.0.0.1:" + RedisProcess.freePort())) {
            holds(application);
        }
    }

    @Test
    void isTheLineThatTheModuleNames() {
        assertThat(System.getProperty("user.dir"))
                .endsWith("webflux-" + SpringBootVersion.getVersion().substring(0, 3));
    }

    private void holds(ConfigurableApplicationContext application) {
        assertThat(statuses(application, "/check?userId=" + user, 6)).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(statuses(application, "/routed", 3)).containsExactly(200, 200, 429);
        assertThat(statuses(application, "/private", 2)).containsExactly(200, 429);
        assertThat(statuses(application, "/mine", 3)).containsExactly(200, 200, 429);
        Answer refused = get(application, "/routed");
        assertThat(refused.header("Retry-After")).isNotNull();
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("RateLimit")).startsWith("\"routed\";r=0;t=");
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.netty.max-keep-alive-requests=1", // https://github.com/reactor/reactor-netty/issues/4361
                "--rate-limiter.max-requests=5",
                "--rate-limiter.timeout=2s",
                "--rate-limiter.key-prefix=" + PREFIX,
                "--rate-limiter.routes.routed.paths=/routed",
                "--rate-limiter.routes.routed.max-requests=2",
                "--rate-limiter.routes.routed.key=ip",
                "--rate-limiter.routes.private.paths=/private",
                "--rate-limiter.routes.private.max-requests=1",
                "--rate-limiter.routes.private.key=principal"));
        all.addAll(List.of(arguments));
        return SpringApplication.run(LimitedApplication.class, all.toArray(String[]::new));
    }

    private static List<Integer> statuses(ConfigurableApplicationContext application, String path, int times) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(application, path).status());
        }
        return statuses;
    }

    private static Answer get(ConfigurableApplicationContext application, String path) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return Http.send("GET", "http://localhost:" + port + path, "Authorization", "Basic " + CREDENTIALS);
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
