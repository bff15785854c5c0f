package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SharedThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection breaks while the end of a call is in flight: its slot is free afterwards, and that of no other call. */
class LostReleaseTest {

    private static final int MOST = 1_000;

    /** Far more than may be in flight one by one, by the round trips before. */
    private static final int TOGETHER = 400;

    private static final Limit SLOTS = Limit.of("slots", Algorithm.CONCURRENCY, MOST, Duration.ofHours(1));
    private static final Acquisition SLOT = Acquisition.of(SLOTS, "alice");
    private static final Limit UNITS = Limit.of("units", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));

    /** Redis' own time, unless a test sets another one. */
    private static final String CLOCK = """
            local set, time = redis.call('GET', 'clock'), redis.call('TIME')
            local clock = tonumber(set or time[1] * 1000000 + time[2])
            """;

    private final RedisProcess redis = RedisProcess.start();
    private final ReplyProxy proxy = new ReplyProxy(redis.port());
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), proxy.uri());
    private RedisRateLimiter limiter = limiter(Duration.ofMillis(500));

    private RedisRateLimiter limiter(Duration timeout) {
        return RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                .timeout(timeout)
                .clockText(CLOCK)
                .build();
    }

    @AfterEach
    void close() throws IOException {
        limiter.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        proxy.close();
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whetherRedisHadFreedItOrNot(boolean freed) {
        acquire(SLOT);
        Decision decision = acquire(SLOT);

        releaseAndLose(decision, freed);

        assertThat(remaining(SLOTS)).isEqualTo(MOST - 1);
    }

    /** What its reply has admitted is given back. */
    @Test
    void alsoOfACallThatWasGivenUp() {
        acquire(SLOT);
        int before = proxy.came();
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> asked = limiter.acquireAsync(SLOT).toCompletableFuture();
        await().until(() -> proxy.came() > before);
        asked.cancel(true);
        proxy.loseNextCommand();
        held.countDown();

        await().until(() -> remaining(SLOTS) == MOST - 1);
    }

    /** Calls that were decided together share an entry in Redis. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void alsoOfCallsOfOneMoment(boolean freed) {
        List<Decision> together = acquireTogether();
        assertThat(together).hasSizeGreaterThan(2);

        releaseAndLose(together.get(0), freed);
        releaseAndLose(together.get(1), !freed);

        assertThat(remaining(SLOTS)).isEqualTo(MOST - TOGETHER + 2);
    }

    /** The first is made again at its deadline, when Redis has made the other one. */
    @Test
    void alsoIfAnotherCallOfItsMomentEndsInBetween() {
        limiter.close();
        limiter = limiter(Duration.ofSeconds(5)); // the others end before the deadline also on a busy machine
        List<Decision> together = acquireTogether();
        long before = scripts();
        proxy.loseNextCommand();
        settle(SLOT, together.get(0), 0);
        remaining(SLOTS); // connected again

        limiter.release(SLOT, together.get(1));
        limiter.release(SLOT, together.get(2));
        assertThat(scripts()).as("the first is not made again yet").isLessThanOrEqualTo(before + 3);

        await().untilAsserted(() -> assertThat(remaining(SLOTS)).isEqualTo(MOST - TOGETHER + 3));
        together.subList(3, together.size()).forEach(decision -> limiter.release(SLOT, decision));
        assertThat(remaining(SLOTS)).isEqualTo(MOST - TOGETHER + together.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void alsoOfABlockedSubject(boolean freed) {
        acquire(SLOT);
        Decision decision = acquire(SLOT);
        limiter.cap(SLOTS, "alice", MOST, Duration.ofMinutes(1));

        releaseAndLose(decision, freed);

        assertThat(remaining(SLOTS)).isEqualTo(MOST - 1);
    }

    /** What was admitted later than the clock shows has one entry in Redis from then on. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void alsoOfTheFirstCallAfterAStepOfTheClock(boolean freed) {
        for (int i = 0; i < 5; i++) {
            setClock(at("12:00:10") + i);
            acquire(SLOT);
        }
        setClock(at("12:00:00"));
        Decision decision = acquire(SLOT);

        releaseAndLose(decision, freed);

        assertThat(remaining(SLOTS)).isEqualTo(MOST - 5);
    }

    @Test
    void whatElseIsSettledWithItIsMadeOnceAtMost() {
        Acquisition both = Acquisition.of(SLOTS, "alice").and(UNITS, "alice", 5);
        acquire(SLOT); // Redis knows its script from then on
        Decision decision = acquire(both);
        long before = scripts();
        proxy.loseNextReply();

        settle(both, decision, 2);
        awaitScripts(before + 2);

        assertThat(remaining(SLOTS)).isEqualTo(MOST - 1);
        assertThat(remaining(UNITS)).isEqualTo(100 - 2);
    }

    @Test
    void inAnyOrder() {
        SeededRandom.each("lost releases", 10, random -> {
            List<Decision> open = new ArrayList<>();
            for (int step = 0; step < 5; step++) {
                if (open.isEmpty() || (random.oneIn(3) && open.size() < 20)) {
                    open.add(acquire(SLOT));
                } else {
                    Decision ended = open.remove((int) random.between(0, open.size() - 1));
                    releaseAndLose(ended, random.oneIn(2));
                }
                assertThat(remaining(SLOTS)).isEqualTo(MOST - open.size());
            }
            open.forEach(decision -> limiter.release(SLOT, decision));
        });
    }

    /** None waits for what another one has to do again. */
    @Test
    void ofOneMomentInAnyOrder() {
        SeededRandom.each("lost releases of one moment", 3, random -> {
            List<Decision> together = acquireTogether();
            long others = MOST - remaining(SLOTS) - together.size();
            int ended = (int) random.between(3, 12);
            for (Decision decision : together.subList(0, ended)) {
                switch ((int) random.between(0, 4)) {
                    case 0 -> proxy.loseNextReply();
                    case 1 -> proxy.loseNextCommand();
                    case 2 -> remaining(SLOTS);
                    default -> {} // connected or not
                }
                limiter.releaseAsync(SLOT, decision)
                        .toCompletableFuture()
                        .exceptionally(lost -> null)
                        .join();
            }

            long left = others + together.size() - ended;
            await().during(Duration.ofSeconds(1)).until(() -> remaining(SLOTS) == MOST - left);
            limiter.reset(SLOTS, "alice");
        });
    }

    private void releaseAndLose(Decision decision, boolean freed) {
        long before = scripts();
        if (freed) {
            proxy.loseNextReply();
        } else {
            proxy.loseNextCommand();
        }
        settle(SLOT, decision, 0);
        awaitScripts(before + (freed ? 2 : 1));
    }

    private void settle(Acquisition acquisition, Decision decision, long cost) {
        assertThatThrownBy(() -> limiter.settle(acquisition, decision, cost))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost");
    }

    /** Begins again if a call is not answered because the machine stands still. No other call of the subject is in flight. */
    private List<Decision> acquireTogether() {
        return await().ignoreExceptionsMatching(failure -> Stages.unwrap(failure) instanceof StoreUnavailableException)
                .until(this::acquireAfterAReset, together -> true);
    }

    private List<Decision> acquireAfterAReset() {
        limiter.reset(SLOTS, "alice");
        for (int i = 0; i < 30; i++) {
            remaining(SLOTS);
        }
        CountDownLatch held = proxy.holdReplies();
        List<CompletableFuture<Decision>> asked = Stream.generate(
                        () -> limiter.acquireAsync(SLOT).toCompletableFuture())
                .limit(TOGETHER)
                .toList();
        held.countDown();
        return asked.stream()
                .map(CompletableFuture::join)
                .collect(Collectors.groupingBy(Decision::decidedAt))
                .values()
                .stream()
                .max(Comparator.comparing(List::size))
                .orElseThrow();
    }

    private Decision acquire(Acquisition acquisition) {
        return await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.acquire(acquisition), Decision::allowed);
    }

    private long remaining(Limit limit) {
        return await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.peek(Acquisition.of(limit, "alice")), Decision::allowed)
                .remaining();
    }

    private void setClock(long micros) {
        redis.ask(server -> server.set("clock", Long.toString(micros)));
    }

    private void awaitScripts(long most) {
        await().untilAsserted(() -> assertThat(scripts()).isEqualTo(most));
    }

    /** Returns how many scripts Redis has run. */
    private long scripts() {
        return redis.ask(server -> server.info("commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:") || line.startsWith("cmdstat_eval:"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst("[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }
}
