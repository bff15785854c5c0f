package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.reactive.NamedLimitsRateLimiter;
import io.ratelimit.spring.internal.rule.CallLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/** What the routes of a WebFlux gateway name. */
class GatewayArgumentsTest {

    private static final Validator ANYTHING = new Validator() {
        @Override
        public boolean supports(Class<?> type) {
            return true;
        }

        @Override
        public void validate(Object target, Errors errors) {}
    };

    private static final Limit BURST = Limit.of("burst", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));

    private static final Limit GUESSES = Limit.of("guesses", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1))
            .withBan(5, Duration.ofMinutes(10), Duration.ofHours(1))
            .banningFailures();

    private final Limits limits = new Limits(List.of(BURST, GUESSES));

    private final NamedLimitsRateLimiter limiter = new NamedLimitsRateLimiter(
            new CallLimiter(InMemoryRateLimiter.create(), (limit, reason) -> {}),
            limits,
            new ConfigurationService(
                    new DefaultListableBeanFactory(), ApplicationConversionService::getSharedInstance, () -> ANYTHING));

    @Test
    void aRouteThatWasTurnedDownTurnsDownNoRefresh() {
        assertThatThrownBy(() -> name("nope")).isInstanceOf(InvalidRateLimitException.class);

        assertThatCode(() -> limiter.check(limits)).doesNotThrowAnyException();
    }

    @Test
    void aRouteKeepsWhatItHadIfItsNewLimitsAreTurnedDown() {
        name("burst");
        assertThatThrownBy(() -> name("nope")).isInstanceOf(InvalidRateLimitException.class);

        assertThatCode(() -> limiter.check(limits)).doesNotThrowAnyException();
        assertThatThrownBy(() -> limiter.check(new Limits(List.of()))).hasMessageContaining("burst");
    }

    @Test
    void aBanThatWouldNeverBeginIsTurnedDown() {
        assertThatThrownBy(() -> name("guesses")).hasMessageContaining("'guesses' has a ban that counts failures");
    }

    private void name(String limit) {
        limiter.onApplicationEvent(new FilterArgsEvent(this, "orders", Map.of("ratelimit.limits", limit)));
    }
}
