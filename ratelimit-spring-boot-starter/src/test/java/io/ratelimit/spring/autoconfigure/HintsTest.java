package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.Store;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataProperty;
import org.springframework.boot.configurationmetadata.ValueHint;
import org.springframework.boot.configurationmetadata.ValueProvider;
import org.springframework.http.HttpMethod;

/** The values that an editor completes. */
class HintsTest {

    private final Map<String, ConfigurationMetadataProperty> properties = Metadata.properties();

    @ParameterizedTest
    @ValueSource(strings = {"rate-limiter", "rate-limiter.limits.*", "rate-limiter.routes.*"})
    void algorithmsThatCanBeConfigured(String parent) {
        assertThat(values(parent + ".use-algo"))
                .as(Metadata.BY_HAND)
                .containsExactlyInAnyOrder(Stream.of(Algorithm.values())
                        .map(Algorithm::label)
                        .filter(HintsTest::canBeConfigured)
                        .toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rate-limiter.on-store-failure", "rate-limiter.routes.*.on-store-failure"})
    void policies(String property) {
        assertThat(values(property)).containsExactlyInAnyOrder(names(FailurePolicy.values()));
    }

    @Test
    void stores() {
        assertThat(values("rate-limiter.store")).containsExactlyInAnyOrder(names(Store.values()));
    }

    @Test
    void families() {
        assertThat(values("rate-limiter.headers")).containsExactlyInAnyOrder(names(HeaderFamily.values()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rate-limiter.key", "rate-limiter.routes.*.key"})
    void kindsOfKeysBesideNamesOfBeansAndExpressions(String property) {
        assertThat(values(property)).contains("caller", "ip", "principal", "global", "header:", "cookie:", "param:");
        assertThat(properties.get(property).getHints().getValueProviders())
                .extracting(ValueProvider::getName)
                .containsExactly("any");
    }

    @Test
    void methods() {
        assertThat(values("rate-limiter.routes.*.methods"))
                .containsExactlyInAnyOrder(
                        Stream.of(HttpMethod.values()).map(HttpMethod::name).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rate-limiter.limits", "rate-limiter.routes"})
    void anyNameOfALimitOrRoute(String map) {
        assertThat(properties.get(map).getHints().getKeyProviders())
                .extracting(ValueProvider::getName)
                .containsExactly("any");
    }

    private Stream<String> values(String property) {
        return properties.get(property).getHints().getValueHints().stream()
                .map(ValueHint::getValue)
                .map(Object::toString);
    }

    private static String[] names(Enum<?>... constants) {
        return Stream.of(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toArray(String[]::new);
    }

    private static boolean canBeConfigured(String algorithm) {
        try {
            new LimitDefinition("test", "test", algorithm, 1L, null, null, null, null).algorithm();
            return true;
        } catch (InvalidRateLimitException rejected) {
            return false;
        }
    }
}
