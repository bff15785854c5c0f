package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes of a subject in {@code docs/how-to/size-redis.md}, as {@code used_memory} has them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisMemoryTest {

    private static final int SUBJECTS = 5_000;
    private static final int CALLS_AT_ONCE = 500;

    /** The allocator, the size of the hash table and buffers of connections differ. */
    private static final int PERCENT = 25;

    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-z-]+)`(?:, (\\d+) requests)? \\| (\\d+) \\| (\\d+) \\|$", Pattern.MULTILINE);

    private final RedisProcess redis = RedisProcess.start();
    private final RedisClient client = RedisClient.create(redis.uri());
    private final RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
            .timeout(Duration.ofMinutes(1))
            .onStoreFailure(FailurePolicy.CLOSED)
            .build();

    /** A row of the page. */
    private record Row(Algorithm algorithm, int requests, long shortNames, long longNames) {}

    static Stream<Row> rows() throws IOException {
        List<Row> rows = ROW.matcher(Files.readString(Path.of("..", "docs", "how-to", "size-redis.md")))
                .results()
                .map(row -> new Row(
                        Algorithm.valueOf(row.group(1).replace('-', '_').toUpperCase(Locale.ROOT)),
                        row.group(2) == null ? 1 : Integer.parseInt(row.group(2)),
                        Long.parseLong(row.group(3)),
                        Long.parseLong(row.group(4))))
                .toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(5);
        return rows.stream();
    }

    @AfterAll
    void close() {
        limiter.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        redis.close();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aSubjectTakesAsMuchAsThePageSays(Row row) {
        assertThat(bytesOfASubject(row, 20)).isCloseTo(row.shortNames(), withPercentage(PERCENT));
        assertThat(bytesOfASubject(row, 52)).isCloseTo(row.longNames(), withPercentage(PERCENT));
    }

    private long bytesOfASubject(Row row, int length) {
        Limit limit = Limit.of("api", row.algorithm(), 1_000, Duration.ofHours(1));
        redis.<String>ask(commands -> commands.flushall());
        limiter.acquire(Acquisition.of(limit, "principal:warm-up"));
        long before = usedMemory();
        for (int request = 0; request < row.requests(); request++) {
            for (int first = 0; first < SUBJECTS; first += CALLS_AT_ONCE) {
                IntStream.range(first, first + CALLS_AT_ONCE)
                        .mapToObj(number -> limiter.acquireAsync(Acquisition.of(limit, subject(number, length)))
                                .toCompletableFuture())
                        .toList()
                        .forEach(RedisMemoryTest::mustBeAllowed);
            }
        }
        return (usedMemory() - before) / SUBJECTS;
    }

    private static void mustBeAllowed(CompletableFuture<Decision> decision) {
        assertThat(decision.join().allowed()).isTrue();
    }

    private static String subject(int number, int length) {
        String prefix = "principal:";
        return prefix + "0".repeat(length - prefix.length() - 5) + (10_000 + number);
    }

    private long usedMemory() {
        Matcher used = Pattern.compile("used_memory:(\\d+)").matcher(redis.ask(commands -> commands.info("memory")));
        assertThat(used.find()).isTrue();
        return Long.parseLong(used.group(1));
    }
}
