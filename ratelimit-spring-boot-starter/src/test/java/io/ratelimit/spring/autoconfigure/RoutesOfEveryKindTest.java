package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ratelimit.Algorithm;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.testing.Contexts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

/** Routes of every kind, written as users write them in YAML. */
class RoutesOfEveryKindTest {

    private static final String YAML = """
            rate-limiter:
              use-algo: sliding-window-algo
              max-requests: 5
              window-size: 60
              limits:
                login:  { use-algo: sliding-window-log,     max-requests: 5,    window-size: 15m }
                burst:  { use-algo: token-bucket,           max-requests: 10,   window-size: 1s, burst: 20 }
                hourly: { use-algo: sliding-window-counter, max-requests: 1000, window-size: 1h }
              routes:
                api:    { paths: [/api/**], methods: [GET, POST], limits: [burst, hourly], key: "header:X-Api-Key" }
                search: { paths: [/api/search], limits: [hourly], cost: 10, on-store-failure: closed }
                login:   { paths: [/login], methods: [POST], limits: [login], key: ip, count: failures }
                devices: { paths: [/sync], key: principal, use-algo: unique-count, max-requests: 5, window-size: 30d, element: "header:X-Device" }
                reports: { paths: [/reports/**], key: principal, use-algo: concurrency, max-requests: 2, window-size: 10m }
            """;

    @Test
    void bind() {
        Contexts.web().withInitializer(RoutesOfEveryKindTest::addYaml).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Routes.class).routes())
                    .extracting(
                            route -> route.name(),
                            route -> route.rules().get(0).key().text(),
                            route -> route.rules().get(0).limits().get(0).algorithm(),
                            route -> route.rules().get(0).limits().get(0).maxRequests(),
                            route -> route.rules().get(0).limits().get(0).windowSize(),
                            route -> route.rules().get(0).endsLater())
                    .contains(
                            tuple("api", "header:X-Api-Key", Algorithm.TOKEN_BUCKET, 10L, Duration.ofSeconds(1), false),
                            tuple("login", "ip", Algorithm.SLIDING_WINDOW_LOG, 5L, Duration.ofMinutes(15), true),
                            tuple("devices", "principal", Algorithm.UNIQUE_COUNT, 5L, Duration.ofDays(30), false),
                            tuple("reports", "principal", Algorithm.CONCURRENCY, 2L, Duration.ofMinutes(10), true));
        });
    }

    private static void addYaml(ConfigurableApplicationContext context) {
        try {
            new YamlPropertySourceLoader()
                    .load("yaml", new ByteArrayResource(YAML.getBytes(StandardCharsets.UTF_8)))
                    .forEach(context.getEnvironment().getPropertySources()::addFirst);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
