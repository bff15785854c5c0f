package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.ClassUtils;

/** A refusal varies as the answers do that the application gives to the same request, so that caches keep them apart. */
class RefusalVaryHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {

        private final Stack stack;
        private final Map<String, TestApp> apps = new HashMap<>();

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @AfterAll
        void close() {
            apps.values().forEach(TestApp::close);
        }

        @ParameterizedTest
        @CsvSource({
            "ByAnnotation, /plain/x, https://a.example",
            "ByAnnotation, /annotated?user=amy, https://a.example",
            "ByConfigurer, /plain/x, https://a.example",
            "ByConfigurer, /plain/x, https://evil.example",
            "ByConfigurer, /annotated?user=amy, https://a.example",
            "ByFilter, /plain/x, https://a.example",
            "ByFilter, /plain/x, https://evil.example",
            "ByFilter, /plain/x, same",
            "ByFilter, /plain/x, none",
            "ByFilter, /annotated?user=amy, https://a.example",
            "BySource, /plain/x, https://a.example",
            "BySource, /plain/x, https://evil.example",
            "BySource, /plain/x, same",
            "BySource, /plain/x, none",
        })
        void variesAsTheAnswerDoes(String cors, String path, String origin) {
            TestApp app = start(cors);
            String[] headers = origin(origin);
            Answer answer = app.raw("GET", path, headers);
            app.raw("GET", path, headers);
            if (answer.status() == 403) {
                app.get(path);
                app.get(path);
            }

            Answer refused = app.raw("GET", path, headers);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(vary(refused)).isEqualTo(vary(answer));
        }

        private static String[] origin(String origin) {
            return switch (origin) {
                case "none" -> new String[0];
                case "same" -> new String[] {"Origin", "http://localhost"};
                default -> new String[] {"Origin", origin};
            };
        }

        private static Set<String> vary(Answer answer) {
            Set<String> names = new TreeSet<>();
            answer.headers().allValues("Vary").forEach(value -> names.addAll(Arrays.asList(value.split(",\\s*"))));
            return names;
        }

        private TestApp start(String cors) {
            TestApp app = apps.computeIfAbsent(cors, this::startNew);
            app.bean(SettableClock.class).advance(Duration.ofMinutes(1));
            return app;
        }

        private TestApp startNew(String cors) {
            List<Class<?>> configurations = new ArrayList<>(List.of(AtSettableTime.class, ShopController.class));
            if (!cors.equals("ByAnnotation")) {
                Class<?> holder = stack == Stack.SERVLET ? ServletLooks.class : ReactiveLooks.class;
                configurations.add(ClassUtils.resolveClassName(holder.getName() + "$" + cors, null));
            }
            return TestApp.start(
                    stack,
                    configurations,
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=2");
        }
    }
}
