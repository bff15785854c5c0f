package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.AutoConfigureTestRateLimiter;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

@SpringBootTest(
        properties = {
            "rate-limiter.limits.hourly.max-requests=3",
            "rate-limiter.limits.hourly.window-size=1h",
        })
@AutoConfigureTestRateLimiter
@Import(AnnotationTest.Weather.class)
class AnnotationTest {

    @RateLimited(name = "expensive", maxRequests = "2", windowSize = "1m", key = "global")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Expensive {}

    @Service
    static class Weather {

        @RateLimited(value = "hourly", key = "#customer", cost = "#ids.size()", condition = "!#ids.isEmpty()")
        List<String> load(String customer, List<String> ids) {
            return ids;
        }

        @RateLimited(
                algorithm = "token-bucket",
                maxRequests = "1",
                windowSize = "1m",
                burst = "2",
                key = "global",
                fallbackMethod = "cached")
        String fresh(String city) {
            return "fresh " + city;
        }

        String cached(String city, RateLimitExceededException refused) {
            return "cached " + city;
        }

        @Expensive
        void one() {}

        @Expensive
        void other() {}
    }

    @Autowired
    private Weather weather;

    @Test
    void aRowForEachAttribute() {
        String page = Pages.text(Pages.DOCS.resolve("annotation.md"));
        assertThat(Stream.of(RateLimited.class.getDeclaredMethods()).map(Method::getName))
                .allSatisfy(attribute -> assertThat(page).contains("\n| `" + attribute + "` | "));
    }

    @Test
    void costsAndConditionsAreExpressions() {
        weather.load("alice", List.of("a", "b"));
        weather.load("alice", List.of());
        weather.load("alice", List.of("c"));
        assertThatThrownBy(() -> weather.load("alice", List.of("d"))).isInstanceOf(RateLimitExceededException.class);
        weather.load("bob", List.of("d"));
    }

    @Test
    void aFallbackAnswersRefusedCalls() {
        assertThat(weather.fresh("Bonn")).isEqualTo("fresh Bonn");
        assertThat(weather.fresh("Bonn")).isEqualTo("fresh Bonn");
        assertThat(weather.fresh("Bonn")).isEqualTo("cached Bonn");
    }

    @Test
    void methodsWithAnAnnotationOfOnesOwnShareItsLimit() {
        weather.one();
        weather.other();
        assertThatThrownBy(weather::one).isInstanceOf(RateLimitExceededException.class);
    }
}
