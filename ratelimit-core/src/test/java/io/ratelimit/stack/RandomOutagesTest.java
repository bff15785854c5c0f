package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.SwitchedConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Redis goes and comes while limits of all kinds are asked, under every policy. Each answer is one that its policy may give, and in the
 * end nobody waits and nothing is in flight.
 */
class RandomOutagesTest {

    private static final int SCHEDULES = 100;
    private static final int STEPS = 80;
    private static final Duration DAY = Duration.ofDays(1);

    private final RedisProcess redis = RedisProcess.start();
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), redis.uri());
    private final SwitchedConnections connections = new SwitchedConnections(client.connect());
    private final RateLimiterStack stack =
            RateLimiterStack.onRedis(connections).timeout(Duration.ofSeconds(5)).build();

    private static final Limit SLOTS = Limit.of("slots", Algorithm.CONCURRENCY, 3, DAY);

    private static final Limit[] LIMITS = {
        SLOTS,
        Limit.of("fixed", Algorithm.FIXED_WINDOW, 3, DAY),
        Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 3, DAY),
        Limit.of("counter", Algorithm.SLIDING_WINDOW_COUNTER, 3, DAY),
        Limit.of("quick", Algorithm.TOKEN_BUCKET, 3, Duration.ofMillis(100)),
        Limit.of("banning", Algorithm.FIXED_WINDOW, 3, DAY).withBan(2, DAY, Duration.ofMillis(20), DAY),
        Limit.of("sharded", Algorithm.FIXED_WINDOW, 8, DAY).withShards(4),
        Limit.of("leased", Algorithm.FIXED_WINDOW, 20, DAY).withLease(5),
        Limit.of("reporting", Algorithm.FIXED_WINDOW, 3, DAY).withReportOnly()
    };

    private record Answered(Acquisition acquisition, Decision decision) {}

    @AfterEach
    void close() {
        stack.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        redis.close();
    }

    @Test
    void everyAnswerIsOneOfItsPolicyAndEverythingEnds() {
        SeededRandom.each("outages", SCHEDULES, this::play);
    }

    private void play(SeededRandom random) {
        List<Answered> open = new ArrayList<>();
        IdentityHashMap<Acquisition, CompletableFuture<Decision>> waiting = new IdentityHashMap<>();
        String subject = "subject" + random.between(0, Long.MAX_VALUE - 1);
        for (int i = 0; i < STEPS; i++) {
            if (random.oneIn(12)) {
                connections.away = !connections.away;
            }
            Acquisition acquisition = acquisition(random, subject);
            switch ((int) random.between(0, 9)) {
                case 0 ->
                    waiting.put(
                            acquisition,
                            stack.acquireAsync(acquisition.withMaxWait(Duration.ofMillis(random.between(1, 100))))
                                    .toCompletableFuture());
                case 1 -> attempt(() -> stack.reset(random.oneOf(LIMITS), subject));
                case 2 ->
                    attempt(() -> stack.block(random.oneOf(LIMITS), subject, Duration.ofMillis(random.between(0, 30))));
                case 3 -> attempt(() -> stack.peek(acquisition));
                case 4, 5 -> {
                    if (!open.isEmpty()) {
                        end(open.remove((int) random.between(0, open.size() - 1)), random.between(0, 2));
                    }
                }
                default -> ask(acquisition, open);
            }
        }
        connections.away = false;
        waiting.forEach((acquisition, stage) -> answered(acquisition, stage, open));
        open.forEach(answered -> end(answered, 0));
        assertThat(stack.state().waiting()).isZero();
        Acquisition ofSlots = Acquisition.of(SLOTS, subject);
        await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(
                        () -> stack.peek(ofSlots),
                        peeked -> peeked.source() == Decision.Source.STORE
                                && (peeked.remaining() == 3 || isBlocked(peeked)));
    }

    private static boolean isBlocked(Decision peeked) {
        return peeked.limits().get(0).blocked();
    }

    private static Acquisition acquisition(SeededRandom random, String subject) {
        FailurePolicy policy = random.oneOf(FailurePolicy.values());
        Limit limit = random.oneOf(LIMITS);
        Limit other = random.oneOf(LIMITS);
        Acquisition one = Acquisition.of(limit, subject, random.oneOf(1L, 1L, 2L));
        Acquisition asked = other.equals(limit) || random.oneIn(2) ? one : one.and(other, subject);
        return asked.withOnStoreFailure(policy);
    }

    private void ask(Acquisition acquisition, List<Answered> open) {
        answered(acquisition, stack.acquireAsync(acquisition).toCompletableFuture(), open);
    }

    private static void answered(Acquisition acquisition, CompletableFuture<Decision> stage, List<Answered> open) {
        FailurePolicy policy = acquisition.onStoreFailure().orElseThrow();
        try {
            Decision decision = stage.join();
            boolean onlyReports = acquisition.charges().stream()
                    .allMatch(charge -> charge.limit().reportOnly());
            if (decision.source() != Decision.Source.STORE && !onlyReports) {
                assertThat(decision.source())
                        .isEqualTo(policy == FailurePolicy.OPEN ? Decision.Source.NONE : Decision.Source.LOCAL);
                assertThat(policy).isNotEqualTo(FailurePolicy.CLOSED);
            }
            if (decision.allowed()) {
                open.add(new Answered(acquisition, decision));
            }
        } catch (CompletionException failed) {
            assertThat(failed).hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(policy).isEqualTo(FailurePolicy.CLOSED);
        }
    }

    private void end(Answered answered, long cost) {
        attempt(() -> stack.settle(answered.acquisition(), answered.decision(), cost));
    }

    private static void attempt(Runnable call) {
        try {
            call.run();
        } catch (StoreUnavailableException away) {
            assertThat(away).isNotNull(); // a settlement is made later, the others have failed
        }
    }
}
