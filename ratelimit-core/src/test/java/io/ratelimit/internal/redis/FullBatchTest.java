package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls about more subjects than one batch holds, on a Redis that keeps them waiting. */
@ExtendWith(NoThreadsLeft.class)
class FullBatchTest {

    private static final Limit LIMIT = Limit.of("ten", Algorithm.TOKEN_BUCKET, 10, Duration.ofHours(1));
    private static final Pattern EVALSHA_CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private final RedisProcess server = RedisProcess.start();
    private final RedisClient observer = RedisClient.create(SharedThreads.ofLimiters(), server.uri());
    private final RedisCommands<String, String> commands = observer.connect().sync();

    @AfterEach
    void close() {
        observer.shutdown();
        server.close();
    }

    @Test
    void callsOfOneSubjectLeaveTogetherThoughTheyAreMany() {
        try (RedisUnderTest redis = patient()) {
            redis.limiter().acquire(Acquisition.of(LIMIT, "alice"));
            redis.awaitRoundTripFor(16);
            commands.configResetstat();
            holdScripts();
            List<CompletableFuture<Decision>> answers = ask(redis, 600, i -> "alice");
            letScriptsGo();

            assertThat(answers.stream()
                            .filter(answer ->
                                    answer.orTimeout(1, TimeUnit.MINUTES).join().allowed()))
                    .hasSize(9);
            assertThat(scriptCalls())
                    .as("sixteen alone at most, the rest by up to 512")
                    .isLessThanOrEqualTo(18);
        }
    }

    @Test
    void noneOfTheBatchesUnderWayIsChargedLaterWhenTheirCallersWereTold() {
        try (RedisUnderTest redis = RedisUnderTest.on(server.uri(), Duration.ofMillis(100), ClientOptions.create())) {
            Awaitility.await().ignoreExceptions().until(() -> remaining(redis, "alice") == 10);
            server.signal("STOP");
            List<CompletableFuture<Decision>> abandoned = ask(redis, 1_000, i -> "subject " + i);
            assertThat(abandoned)
                    .allSatisfy(answer -> assertThat(answer)
                            .failsWithin(1, TimeUnit.MINUTES)
                            .withThrowableOfType(ExecutionException.class));
            server.signal("CONT");

            Awaitility.await().ignoreExceptions().until(() -> remaining(redis, "alice") == 10);
            RateLimiter patient = redis.patientLimiter();
            for (int i = 0; i < 1_000; i++) {
                assertThat(patient.peek(Acquisition.of(LIMIT, "subject " + i)).remaining())
                        .isEqualTo(10);
            }
        }
    }

    private static List<CompletableFuture<Decision>> ask(RedisUnderTest redis, int times, IntFunction<String> subject) {
        return IntStream.range(0, times)
                .mapToObj(i -> redis.limiter()
                        .acquireAsync(Acquisition.of(LIMIT, subject.apply(i)))
                        .toCompletableFuture())
                .toList();
    }

    private static long remaining(RedisUnderTest redis, String subject) {
        return redis.limiter().peek(Acquisition.of(LIMIT, subject)).remaining();
    }

    private RedisUnderTest patient() {
        return RedisUnderTest.on(server.uri(), Duration.ofMinutes(1), ClientOptions.create());
    }

    private void holdScripts() {
        pause(new CommandArgs<>(StringCodec.UTF8)
                .add(CommandKeyword.PAUSE)
                .add(600_000)
                .add("WRITE"));
    }

    private void letScriptsGo() {
        pause(new CommandArgs<>(StringCodec.UTF8).add("UNPAUSE"));
    }

    private void pause(CommandArgs<String, String> args) {
        commands.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), args);
    }

    private long scriptCalls() {
        return numbers(EVALSHA_CALLS, commands.info("commandstats")).sum();
    }

    private static LongStream numbers(Pattern pattern, String text) {
        return pattern.matcher(text).results().mapToLong(found -> Long.parseLong(found.group(1)));
    }
}
