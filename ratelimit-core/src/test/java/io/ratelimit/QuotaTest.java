package io.ratelimit;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaTest {

    @ParameterizedTest
    @CsvSource({"1, 1000, 1", "1000000000000, 31622400000000, 1000000000000"})
    void acceptsTheSmallestAndTheLargestNumbers(long maxRequests, long windowMicros, long capacity) {
        assertThatCode(() -> new Quota(maxRequests, windowMicros, capacity)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"0", "1000000000001"})
    void namesTheNumberOfRequestsThatIsOutOfRange(long requests) {
        assertThatThrownBy(() -> new Quota(requests, SECOND, 1))
                .hasMessage("max-requests '%d' must be at least 1 and at most 1000000000000", requests);
        assertThatThrownBy(() -> new Quota(1, SECOND, requests))
                .hasMessage("burst '%d' must be at least 1 and at most 1000000000000", requests);
    }

    @ParameterizedTest
    @CsvSource({
        "999, 999us",
        "0, 0s",
        "-1000, -1ms",
        "31622400000001, 31622400000001us",
        "31622400001000, 31622400001ms",
        "31708800000000, 367d"
    })
    void namesTheWindowThatIsOutOfRange(long windowMicros, String text) {
        assertThatThrownBy(() -> new Quota(1, windowMicros, 1))
                .hasMessage("window-size '%s' must be at least 1ms and at most 366d", text);
    }

    @Test
    void refillingTakesAtMostAHundredOfTheLongestWindows() {
        assertThat(new Quota(1, 366 * DAY, 100).refillMicros()).isEqualTo(36_600 * DAY);
        assertThatThrownBy(() -> new Quota(1, 366 * DAY, 101))
                .hasMessage("burst '101' would take over 36600 days to refill: lower it, or raise max-requests '1'");
    }

    @Test
    void theRefillTimeIsRoundedUp() {
        assertThat(new Quota(3, SECOND, 1).refillMicros()).isEqualTo(333_334);
        assertThat(new Quota(10, SECOND, 20).refillMicros()).isEqualTo(2 * SECOND);
    }

    @Test
    void partsAddUpToTheWholeAndTheFirstAreLarger() {
        Quota whole = new Quota(100, SECOND, 200);

        assertThat(IntStream.range(0, 3).mapToObj(index -> whole.part(index, 3)))
                .containsExactly(new Quota(34, SECOND, 67), new Quota(33, SECOND, 67), new Quota(33, SECOND, 66));
        assertThat(whole.part(0, 1)).isSameAs(whole);
    }
}
