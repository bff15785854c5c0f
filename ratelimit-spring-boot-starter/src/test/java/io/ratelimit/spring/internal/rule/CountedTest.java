package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountedTest {

    private final Throwable notFound = new FileNotFoundException("gone");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FileNotFoundException",
                "java.io.FileNotFoundException",
                "IOException",
                "CompletionException",
                "failures",
                "FAILURES"
            })
    void anExceptionCountsByItsNameItsSuperclassesAndItsCauses(String text) {
        assertThat(counts(text, Ending.failed(null, new IllegalStateException(new CompletionException(notFound)))))
                .isTrue();
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anExceptionMayBeACauseOfItsOwnCause() {
        IllegalStateException failure = new IllegalStateException();
        failure.initCause(new CompletionException(failure));

        assertThat(counts("CompletionException", Ending.failed(null, failure))).isTrue();
        assertThat(counts("IOException", Ending.failed(null, failure))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Object", "io.FileNotFoundException", "IllegalArgumentException", "404"})
    void anotherExceptionDoesNot(String text) {
        assertThat(counts(text, Ending.failed(null, notFound))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"401", "IllegalStateException", "failures", "all"})
    void aCallWhoseEndNobodySawCounts(String text) {
        assertThat(counts(text, Ending.cancelled(null))).isTrue();
        assertThat(counts(text, Ending.cutOff(null, null, name -> null))).isTrue();
    }

    /** A timeout of Kotlin's coroutines, or a future of its own that was cancelled. */
    @Test
    void aMethodThatFailsWithACancellationHasFailed() {
        Ending ending = Ending.failed(null, new CompletionException(new CancellationException()));

        assertThat(counts("failures", ending)).isTrue();
        assertThat(counts("CancellationException", ending)).isTrue();
        assertThat(counts("IllegalArgumentException", ending)).isFalse();
        assertThat(counts("401", ending)).isFalse();
    }

    @Test
    void aResponseThatIsCutOffCountsByItsStatus() {
        assertThat(counts("failures", Ending.cutOff(200, null, name -> null))).isFalse();
        assertThat(counts("failures", Ending.cutOff(401, null, name -> null))).isTrue();
        assertThat(counts("401", Ending.cutOff(401, null, name -> null))).isTrue();
        assertThat(counts("401", Ending.cutOff(404, null, name -> null))).isFalse();
        assertThat(counts("FileNotFoundException", Ending.cutOff(200, notFound, name -> null)))
                .isTrue();
    }

    @Test
    void anExceptionThatSomebodyElseAnswersIsAServerError() {
        assertThat(counts("500", Ending.thrown(notFound, name -> null))).isTrue();
        assertThat(counts("404", Ending.thrown(notFound, name -> null))).isFalse();
    }

    @Test
    void allCountsWhatSucceedsToo() {
        assertThat(counts("all", Ending.returned("done"))).isTrue();
        assertThat(counts("failures", Ending.returned("done"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "failure",
                "99",
                "600",
                "6xx",
                "xx",
                "bad credentials",
                "none",
                "-1",
                "!",
                "!all",
                "!!401",
                "UNAUTHORIZED",
                "NOT_FOUND"
            })
    void whatIsNoneOfTheseIsAnError(String text) {
        assertThatThrownBy(() -> Counted.parse(List.of(text), "rate-limiter.routes.login.count"))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageContaining(
                        "rate-limiter.routes.login.count", "count '" + text + "' is unknown: use failures");
    }

    @ParameterizedTest
    @CsvSource({
        "5xx, 500, true",
        "5xx, 503, true",
        "5xx, 499, false",
        "4XX, 404, true",
        "4xx, 200, false",
        "!422, 422, false",
        "!422, 400, true",
        "!422, 200, true",
        "4xx !422, 422, false",
        "4xx !422, 404, true",
        "4xx !422, 500, false",
        "failures !4xx, 404, false",
        "failures !4xx, 500, true"
    })
    void classesOfStatusesCountAndWhatIsExceptedDoesNot(String texts, int status, boolean counts) {
        assertThat(Counted.parse(List.of(texts.split(" ")), "here").counts(Ending.response(status, null, name -> null)))
                .isEqualTo(counts);
    }

    @Test
    void anExceptionCanBeExcepted() {
        assertThat(counts("!IOException", Ending.failed(null, notFound))).isFalse();
        assertThat(counts("!IOException", Ending.failed(null, new IllegalStateException())))
                .isTrue();
        assertThat(counts("!IOException", Ending.cancelled(null))).isTrue();
    }

    @Test
    void aBanCountsRefusalsWhereCallsThatSucceedCountToo() {
        Limit login = Limit.of("login", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1))
                .withBan(3, Duration.ofMinutes(1), Duration.ofMinutes(1));

        assertThat(Counted.parse(List.of("!422"), "here").banned(login)).isEqualTo(login.banningRefusals());
        assertThat(Counted.parse(List.of("4xx", "!422"), "here").banned(login)).isEqualTo(login.banningFailures());
    }

    @Test
    void allStandsAlone() {
        assertThatThrownBy(() -> Counted.parse(List.of("401", "all"), "here")).hasMessageContaining("all alone");
    }

    private static boolean counts(String text, Ending ending) {
        return Counted.parse(List.of(text), "here").counts(ending);
    }
}
