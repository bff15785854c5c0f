package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.faults.PatientCaller.Ended;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.redis.RedisRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.JavaProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.StolenTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callers in two processes wait for one limit in one Redis, and many give up before they are admitted. By Redis' clock no
 * stretch of time holds more than the limit, and what callers that gave up had taken is there again.
 */
@Tag("slow")
@Tag("alone")
class WaitingProcessesTest {

    private static final Logger LOG = LoggerFactory.getLogger(WaitingProcessesTest.class);
    private static final int PROCESSES = 2;
    private static final Duration CALLING = Duration.ofSeconds(12);

    /** How much longer than its maxWait a call may take: the answers of the store at its end, on a busy machine. */
    private static final Duration ANSWERING = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "SLIDING_WINDOW_LOG"})
    void waitNoLongerThanTheyMayAndTakeNoMoreThanThereIs(Algorithm algorithm) {
        Limit limit = PatientCaller.limit(algorithm);
        StolenTime stolen = StolenTime.fromNowOn();
        try (RedisProcess server = RedisProcess.start()) {
            List<Ended> calls = callsOfAllProcesses(server, algorithm);
            Decision now = peek(server, limit);

            AdmittedHistory admitted = admitted(calls);
            long usedNow = admitted.used(algorithm, limit.quota(), Micros.of(now.decidedAt()));
            long longest = calls.stream()
                    .mapToLong(call -> call.waitedMicros() - call.maxWaitMicros())
                    .max()
                    .orElseThrow();
            LOG.info(
                    "{}: at most {} in use; {} calls, {} admitted, {} given up; at most {} ms above maxWait; {} in use at the end",
                    algorithm.label(),
                    admitted.mostUsed(algorithm, limit.quota()),
                    calls.size(),
                    admitted.size(),
                    calls.stream().filter(Ended::gaveUp).count(),
                    longest / 1_000,
                    usedNow);
            assertThat(admitted.mostUsed(algorithm, limit.quota())).isBetween(limit.capacity() / 2, limit.capacity());
            long left = limit.capacity() - usedNow;
            assertThat(now.remaining()).isBetween(Math.max(0, left - notGivenBack(algorithm)), left);
            assertThat(usedNow).isPositive();
            assertThat(Micros.toDuration(longest)).isLessThan(ANSWERING.plus(stolen.soFar()));
            assertThat(calls).anyMatch(Ended::gaveUp);
            assertThat(calls).anyMatch(call -> call.admitted() && call.waitedMicros() > 100_000);
        }
    }

    /**
     * A bucket gives back what was taken less the refill until then: here that of 2 s in all. A log gives back its oldest
     * entries, and what leaves before those of the call does not count; {@code GivingUpOnRedisTest} does not wait for that.
     */
    private static long notGivenBack(Algorithm algorithm) {
        return algorithm.hasBurst() ? 10 : PatientCaller.limit(algorithm).capacity();
    }

    private static List<Ended> callsOfAllProcesses(RedisProcess server, Algorithm algorithm) {
        List<JavaProcess> processes = IntStream.range(0, PROCESSES)
                .mapToObj(i -> JavaProcess.start(
                        PatientCaller.class, server.uri(), algorithm, "process-" + i, CALLING.toMillis()))
                .toList();
        return processes.stream()
                .map(JavaProcess::output)
                .peek(printed -> assertThat(printed).contains("finished"))
                .flatMap(String::lines)
                .filter(line -> line.startsWith("ended "))
                .map(Ended::parse)
                .toList();
    }

    private static AdmittedHistory admitted(List<Ended> calls) {
        return AdmittedHistory.of(calls.stream()
                .filter(Ended::admitted)
                .map(call -> new AdmittedHistory.Admission(call.atMicros(), call.cost()))
                .toList());
    }

    private static Decision peek(RedisProcess server, Limit limit) {
        RedisClient client = RedisClient.create(server.uri());
        try (RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                .timeout(Duration.ofSeconds(20))
                .build()) {
            return limiter.peek(Acquisition.of(limit, "alice"));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
