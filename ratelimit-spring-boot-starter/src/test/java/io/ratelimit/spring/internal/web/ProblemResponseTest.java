package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.OutboundLimitExceededException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ProblemResponseTest {

    private static final Limit LOGIN = Limit.of("login", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));
    private static final Limit HOURLY = Limit.of("hourly", Algorithm.FIXED_WINDOW, 50, Duration.ofHours(1));

    /** Of an application, such as of an old driver: looked at for ever, it would hold the thread of its request. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFailureThatIsACauseOfItsOwnCauseIsNoRefusal() {
        IllegalStateException failure = new IllegalStateException();
        failure.initCause(new IllegalStateException(failure));

        assertThat(ProblemResponse.refusalIn(failure)).isNull();
    }

    /** Its decision stays in the process that refused. */
    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusalOfAnotherProcessIsNoneOfThisOne(RuntimeException refusal) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(refusal);
        Object received = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

        assertThat(ProblemResponse.refusalIn((Throwable) received)).isNull();
    }

    static List<RuntimeException> refusals() {
        Decision refused = refused(Duration.ofSeconds(48), Duration.ZERO);
        return List.of(new RateLimitExceededException(refused), new OutboundLimitExceededException("partner", refused));
    }

    @Test
    void aRefusalNamesTheLimitsThatRefused() {
        ProblemResponse problem = ProblemResponse.quotaExceeded(refused(Duration.ofSeconds(48), Duration.ZERO));

        assertThat(problem.status()).isEqualTo(429);
        assertThat(problem.headers())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "Retry-After", "48",
                        "Cache-Control", "no-store",
                        "Content-Type", "application/problem+json"));
        assertThat(problem.response().body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"violated-policies\":[\"login\"]}");
    }

    @Test
    void aRefusalByTwoLimitsNamesBothAndWaitsForTheLater() {
        ProblemResponse problem = ProblemResponse.quotaExceeded(
                refused(Duration.ofSeconds(48), Duration.ofSeconds(2712).plusNanos(1000)));

        assertThat(problem.headers()).containsEntry("Retry-After", "2713");
        assertThat(problem.response().body()).contains("\"violated-policies\":[\"login\",\"hourly\"]");
    }

    @ParameterizedTest
    @CsvSource({"PT0.000001S, 1", "PT0.4S, 1", "PT1S, 1", "PT1.000001S, 2", "PT59.999999S, 60"})
    void roundsRetryAfterUpToAtLeastOne(Duration wait, String retryAfter) {
        assertThat(ProblemResponse.quotaExceeded(refused(wait, Duration.ZERO)).headers())
                .containsEntry("Retry-After", retryAfter);
    }

    @ParameterizedTest
    @CsvSource({"PT0.000001S, PT0S", "PT3.2S, PT3.9S", "PT59S, PT0.5S"})
    void isNeverToldToRetryBeforeARefusingLimitsOwnTime(Duration login, Duration hourly) {
        Decision decision = refused(login, hourly);
        Map<String, String> headers = new LinkedHashMap<>();
        new RateLimitHeaders(List.of(HeaderFamily.IETF)).write(decision.refusing(), seconds -> seconds, headers::put);

        long retryAfter =
                Long.parseLong(ProblemResponse.quotaExceeded(decision).headers().get("Retry-After"));
        assertThat(headers.get("RateLimit").split(",", -1))
                .allSatisfy(item -> assertThat(Long.parseLong(item.replaceFirst(".*;t=", "")))
                        .isLessThanOrEqualTo(retryAfter));
    }

    @Test
    void aStoreThatIsDownIsReducedCapacity() {
        ProblemResponse problem = ProblemResponse.temporaryReducedCapacity(1);

        assertThat(problem.status()).isEqualTo(503);
        assertThat(problem.headers())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "Retry-After", "1",
                        "Cache-Control", "no-store",
                        "Content-Type", "application/problem+json"));
        assertThat(problem.response().body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\","
                        + "\"title\":\"Request cannot be satisfied due to temporary server capacity constraints\","
                        + "\"status\":503}");
    }

    @Test
    void aCostThatNeverFitsIsNotToldToRetry() {
        CostExceedsCapacityException tooMuch =
                catchThrowableOfType(CostExceedsCapacityException.class, () -> Acquisition.of(LOGIN, "alice", 6));

        ProblemResponse problem = ProblemResponse.costExceedsCapacity(tooMuch);

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.headers()).doesNotContainKey("Retry-After").containsEntry("Cache-Control", "no-store");
        assertThat(problem.response().body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Request costs more than its limit can ever admit\","
                        + "\"status\":400,\"violated-policies\":[\"login\"]}");
    }

    private static Decision refused(Duration login, Duration hourly) {
        return Decision.of(
                List.of(
                        new LimitStatus(LOGIN, 0, login, Duration.ofMinutes(1)),
                        new LimitStatus(HOURLY, 3, hourly, Duration.ofMinutes(50))),
                Instant.EPOCH);
    }
}
