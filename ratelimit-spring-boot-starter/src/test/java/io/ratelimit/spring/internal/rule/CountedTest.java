package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import java.io.FileNotFoundException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    @ParameterizedTest
    @ValueSource(strings = {"Object", "io.FileNotFoundException", "IllegalArgumentException", "404"})
    void anotherExceptionDoesNot(String text) {
        assertThat(counts(text, Ending.failed(null, notFound))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"401", "IllegalStateException", "failures", "all"})
    void aCallWhoseEndNobodySawCounts(String text) {
        assertThat(counts(text, Ending.cancelled(null))).isTrue();
        assertThat(counts(text, Ending.cutOff(null, name -> null))).isTrue();
        assertThat(counts(text, Ending.failed(null, new CompletionException(new CancellationException()))))
                .isTrue();
    }

    @Test
    void aResponseThatIsCutOffCountsByItsStatus() {
        assertThat(counts("failures", Ending.cutOff(200, name -> null))).isFalse();
        assertThat(counts("failures", Ending.cutOff(401, name -> null))).isTrue();
        assertThat(counts("401", Ending.cutOff(401, name -> null))).isTrue();
        assertThat(counts("401", Ending.cutOff(404, name -> null))).isFalse();
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
    @ValueSource(strings = {"failure", "99", "600", "4xx", "bad credentials", "none", "-1"})
    void whatIsNoneOfTheseIsAnError(String text) {
        assertThatThrownBy(() -> Counted.parse(List.of(text), "rate-limiter.routes.login.count"))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageContaining(
                        "rate-limiter.routes.login.count", "count '" + text + "' is unknown: use failures");
    }

    @Test
    void allStandsAlone() {
        assertThatThrownBy(() -> Counted.parse(List.of("401", "all"), "here")).hasMessageContaining("all alone");
    }

    private static boolean counts(String text, Ending ending) {
        return Counted.parse(List.of(text), "here").counts(ending);
    }
}
