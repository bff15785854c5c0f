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
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes of a subject in the pages are those that the benchmarks have measured, and what {@code used_memory} says here. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisMemoryTest {

    private static final int SUBJECTS = 20_000;
    private static final int CALLS_AT_ONCE = 500;

    /** Allocators and the buffers of connections differ. */
    private static final int PERCENT = 25;

    private static final Path DOCS = Path.of("..", "docs");

    private static final Pattern MEASURED = Pattern.compile(
            "^\\| ([a-z-]+)((?:, buckets: (\\d+)|, (\\d+) requests?)?) +\\| (\\d+) bytes +\\| (?:token-bucket|Spring Cloud Gateway's script) ",
            Pattern.MULTILINE);

    private final RedisProcess redis = RedisProcess.start();
    private final RedisClient client = RedisClient.create(redis.uri());
    private final RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
            .timeout(Duration.ofMinutes(1))
            .onStoreFailure(FailurePolicy.CLOSED)
            .build();

    /** A row that the benchmarks have written. */
    private record Row(String name, Limit limit, int requests, long bytes) {

        static Row of(MatchResult row) {
            Algorithm algorithm =
                    Algorithm.valueOf(row.group(1).replace('-', '_').toUpperCase(Locale.ROOT));
            Limit limit = Limit.of("api", algorithm, 1_000, Duration.ofDays(1));
            return new Row(
                    "`" + row.group(1) + "`" + row.group(2).replaceFirst("buckets: \\d+", "`$0`"),
                    row.group(3) == null ? limit : limit.withBuckets(Integer.parseInt(row.group(3))),
                    row.group(4) == null ? 5 : Integer.parseInt(row.group(4)),
                    Long.parseLong(row.group(5)));
        }
    }

    static Stream<Row> rows() throws IOException {
        String measured = Files.readString(DOCS.resolve(Path.of("design", "performance.md")));
        List<Row> rows = MEASURED.matcher(measured).results().map(Row::of).toList();
        assertThat(rows).hasSize(7);
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
    void aSubjectTakesAsMuchAsThePagesSay(Row row) throws IOException {
        String cells = "| %s | %d ".formatted(row.name, row.bytes);
        assertThat(DOCS.resolve(Path.of("how-to", "size-redis.md"))).content().contains(cells);
        assertThat(DOCS.resolve(Path.of("how-to", "choosing.md"))).content().contains(cells);
        assertThat(bytesOfASubject(row)).isCloseTo(row.bytes, withPercentage(PERCENT));
    }

    private long bytesOfASubject(Row row) {
        redis.<String>ask(commands -> commands.flushall());
        limiter.acquire(Acquisition.of(row.limit, "principal:warm-up"));
        long before = usedMemory();
        for (int request = 0; request < row.requests; request++) {
            for (int first = 0; first < SUBJECTS; first += CALLS_AT_ONCE) {
                IntStream.range(first, first + CALLS_AT_ONCE)
                        .mapToObj(number -> limiter.acquireAsync(
                                        Acquisition.of(row.limit, "principal:%010d".formatted(number)))
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

    private long usedMemory() {
        Matcher used = Pattern.compile("used_memory:(\\d+)").matcher(redis.ask(commands -> commands.info("memory")));
        assertThat(used.find()).isTrue();
        return Long.parseLong(used.group(1));
    }
}
