package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SettableClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Random requests to random applications are refused by the limits that were just explained to refuse them. */
class RandomAppsHttpTest {

    private static final int APPLICATIONS = 20;
    private static final int REQUESTS = 60;

    @Configuration(proxyBeanMethods = false)
    static class AtOwnTime {

        @Bean
        SettableClock clock() {
            return new SettableClock();
        }

        @Bean
        RateLimiterStackCustomizer memory(SettableClock clock) {
            return stack -> stack.memory(InMemoryRateLimiter.create(1000, clock));
        }

        @Bean
        KeyResolver byUser() {
            return request -> request.header("X-User");
        }

        @Bean
        KeyResolver byPrincipal() {
            return request -> request.principal() == null
                    ? null
                    : "user " + request.principal().getName();
        }
    }

    @Test
    void theAnswerFitsWhatWasExplained() {
        SeededRandom.each("random application", APPLICATIONS, random -> play(Stack.SERVLET, random));
    }

    @Test
    @Tag("reactive")
    void theAnswerOfWebFluxFitsWhatWasExplained() {
        SeededRandom.each("random reactive application", APPLICATIONS, random -> play(Stack.REACTIVE, random));
    }

    private static void play(Stack stack, SeededRandom random) {
        boolean secured = random.oneIn(3);
        List<String> properties = RandomApp.properties(random, stack);
        properties.add(LimitsEndpoint.EXPOSED);
        try (TestApp app = start(stack, secured, properties.toArray(String[]::new))) {
            assertThat(differences(app, secured, properties, random))
                    .as(String.join("\n", properties))
                    .isEmpty();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static TestApp start(Stack stack, boolean secured, String... properties) {
        List<Class<?>> parts = List.of(AtOwnTime.class, OpenRequests.of(stack), RandomCalls.class, Secured.by(stack));
        return secured
                ? TestApp.startSecured(stack, parts, properties)
                : TestApp.start(stack, parts.subList(0, parts.size() - 1), properties);
    }

    private static List<String> differences(TestApp app, boolean secured, List<String> properties, SeededRandom random)
            throws IOException {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            RandomRequest request = RandomRequest.of(random, secured);
            JsonNode explained = request.explain(app);
            Answer sent = request.send(app);
            app.bean(OpenRequests.class).awaitNone();
            if (!ExplainedAs.of(explained).fits(sent, properties)) {
                differences.add("%n%s%nexplained %s%nanswered %d %s%s%n"
                        .formatted(
                                request,
                                explained,
                                sent.status(),
                                sent.body(),
                                sent.headers().map()));
            }
            if (random.oneIn(4)) {
                app.bean(SettableClock.class).advance(Duration.ofMillis(random.between(1, 8000)));
            }
        }
        return differences;
    }
}
