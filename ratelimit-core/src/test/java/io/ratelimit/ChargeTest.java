package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChargeTest {

    private static final Limit LOGIN = Limit.of("login", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));

    @Test
    void anEmptySubjectIsAnError() {
        String message =
                "limit 'login' was given the subject '': pass whom to count, or 'global' to count all callers together";

        assertThatThrownBy(() -> new Charge(LOGIN, "", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> Acquisition.of(LOGIN, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> Acquisition.of(LOGIN, "alice").and(LOGIN, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
