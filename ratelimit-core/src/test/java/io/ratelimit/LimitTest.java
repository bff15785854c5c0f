package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.algorithm.Quota;
import org.junit.jupiter.api.Test;

class LimitTest {

    private static final Quota QUOTA = new Quota(5, 1_000_000, 5);

    @Test
    @SuppressWarnings("NullAway") // what is tested
    void namesWhatIsMissing() {
        assertThatThrownBy(() -> new Limit("api", null, QUOTA))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("algorithm");
        assertThatThrownBy(() -> new Limit(null, Algorithm.FIXED_WINDOW, QUOTA))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        assertThatThrownBy(() -> new Limit("api", Algorithm.FIXED_WINDOW, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("quota");
    }
}
