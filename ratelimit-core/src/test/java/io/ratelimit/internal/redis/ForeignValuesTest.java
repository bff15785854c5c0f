package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestRedis;
import io.ratelimit.testing.TestTime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What stands under a key is cut, mixed up or of another kind. A call for it fails alone and leaves the key as it is, or it is
 * answered within the limit's bounds; never does the script fail, with which all calls of the batch would.
 */
@ExtendWith(NoThreadsLeft.class)
class ForeignValuesTest {

    private static final int TRIES = 500;
    private static final int CALLS = 6;
    private static final Duration LONGEST_BAN = Duration.ofHours(1);
    private static final Duration LONGEST_BLOCK = Duration.ofDays(366);

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();
    private final RedisClient client = RedisClient.create(TestRedis.uri());
    private final StatefulRedisConnection<byte[], byte[]> bytes = client.connect(ByteArrayCodec.INSTANCE);
    private final CommandRunner runner = new CommandRunner(RedisConnections.of(redis.connection()));
    private final StateKeyFormat stateKeys = new StateKeyFormat(redis.prefix);
    private long clock = TestTime.at("12:00:00");

    @AfterEach
    void close() {
        redis.redis().keys(redis.prefix + "*").forEach(key -> redis.redis().pexpire(key, 100_000));
        redis.close();
        bytes.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource
    void ofAStateIsRecognizedOrAnsweredWithinBounds(Algorithm algorithm) {
        SeededRandom.each("foreign values of " + algorithm, TRIES, random -> {
            Limit limit = limit(random, algorithm);
            Limit another = limit(random, random.oneOf(Algorithm.values()));
            String key = stateKeys.key(charge(limit, "alice", 1));
            tryForeignValue(
                    random, limit, key, List.of(realValue(random, limit, key), realValue(random, another, key)));
        });
    }

    @Test
    void ofAStateInPartsIsRecognizedOrAnsweredWithinBounds() {
        SeededRandom.each("foreign values of parts", TRIES, random -> {
            Limit limit = limit(random, Algorithm.SLIDING_WINDOW_COUNTER).withBuckets(random.oneOf(2, 5, 40));
            Limit another = limit(random, random.oneOf(Algorithm.values()));
            String key = stateKeys.key(limit, "alice");
            tryForeignValue(
                    random, limit, key, List.of(realValue(random, limit, key), realValue(random, another, key)));
        });
    }

    @Test
    void ofABanIsRecognizedOrAnsweredWithinBounds() {
        SeededRandom.each("foreign values of bans", TRIES, random -> {
            Limit limit = limit(random, Algorithm.FIXED_WINDOW)
                    .withBan((int) random.between(1, 9), Duration.ofMinutes(5), Duration.ofSeconds(30), LONGEST_BAN);
            String key = StateKeyFormat.banKey(stateKeys.key(charge(limit, "alice", 1)));
            tryForeignValue(random, limit, key, List.of(realValue(random, limit, key)));
        });
    }

    @ParameterizedTest
    @EnumSource
    void ofABlockIsRecognizedOrAnsweredWithinBounds(Algorithm algorithm) {
        SeededRandom.each("foreign values of blocks of " + algorithm, TRIES, random -> {
            Limit limit = limit(random, algorithm);
            String key = stateKeys.key(charge(limit, "alice", 1));
            byte[] state = realValue(random, limit, key);
            Charge carol = charge(limit, "carol", 1);
            answer(List.of(Asked.blocking(carol, random.ofAnySize(60_000_000, 366L * 86_400_000_000L), 0)));
            tryForeignValue(
                    random, limit, key, List.of(bytes.sync().get(bytes(stateKeys.key(carol))), state), LONGEST_BLOCK);
        });
    }

    /** As many tokens as a state has room for, at one a day: Redis refuses such a time to live. */
    @Test
    void ofABucketThatIsNeverFullIsNoState() {
        redis.setClock(clock);
        Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 1, Duration.ofDays(1));
        String key = stateKeys.key(limit, "alice");
        byte[] time = Arrays.copyOfRange(ByteBuffer.allocate(8).putLong(clock).array(), 1, 8);
        ByteBuffer missing = ByteBuffer.allocate(23).put(time);
        ByteBuffer beyond = ByteBuffer.allocate(46)
                .put(time)
                .put(23, (byte) 1)
                .put(28, (byte) 1)
                .put(45, (byte) 1);
        for (byte[] value : List.of(
                missing.put(7, new byte[] {-1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
                        .array(),
                beyond.put(29, new byte[] {-1, -1, -1, -1, -1, -1}).array())) {
            bytes.sync().set(bytes(key), value);
            PendingCall call = acquire(limit, "alice", 1);
            answer(List.of(call));
            assertThat(Asked.answer(call)).isCompletedExceptionally();
            assertThat(bytes.sync().get(bytes(key))).isEqualTo(value);
        }
        beyond.put(29, new byte[] {0, -1, -1, -1, -1, -1});
        bytes.sync().set(bytes(key), beyond.array());
        PendingCall call = acquire(limit, "alice", 1);
        answer(List.of(call));
        checkBounds(limit, Asked.answer(call).join(), Micros.toDuration(longestMicros(limit)));
        assertThat(redis.redis().pttl(key))
                .isBetween(1L, Duration.ofDays(2 * 36_601).toMillis());
    }

    private void tryForeignValue(SeededRandom random, Limit limit, String key, List<byte[]> real) {
        tryForeignValue(random, limit, key, real, Micros.toDuration(longestMicros(limit)));
    }

    private void tryForeignValue(
            SeededRandom random, Limit limit, String key, List<byte[]> real, Duration longestReset) {
        redis.redis().del(stateKeys.key(charge(limit, "alice", 1)), key);
        put(random, key, real);
        byte[] before = dump(key);
        for (int i = 0; i < CALLS; i++) {
            if (random.oneIn(3)) {
                clock += random.ofAnySize(1, 2 * limit.quota().windowMicros()) * (random.oneIn(4) ? -1 : 1);
                redis.setClock(clock);
            }
            PendingCall call = call(random, limit);
            PendingCall other = acquire(limit, "bob" + random.between(0, Long.MAX_VALUE), 1);
            answer(random.oneIn(2) ? List.of(call) : List.of(call, other));
            if (other.isAnswered()) {
                assertThat(Asked.answer(other).join().allowed()).isTrue();
            }
            assertThat(Asked.answer(call)).isDone();
            if (Asked.answer(call).isCompletedExceptionally()) {
                assertThat(Asked.answer(call)
                                .handle((decision, failure) -> failure)
                                .join())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("'api'");
                if (i == 0) {
                    assertThat(dump(key)).isEqualTo(before);
                }
            } else if (call.operation == Operation.ACQUIRE || call.operation == Operation.PEEK) {
                checkBounds(limit, Asked.answer(call).join(), longestReset);
            }
        }
    }

    private static void checkBounds(Limit limit, Decision decision, Duration longestReset) {
        LimitStatus status = decision.limits().get(0);
        Duration own = Micros.toDuration(longestMicros(limit));
        assertThat(status.remaining()).isBetween(0L, limit.capacity());
        assertThat(status.retryAfter()).isBetween(Duration.ZERO, status.blocked() ? LONGEST_BLOCK : own);
        assertThat(status.resetAfter()).isBetween(Duration.ZERO, longestReset);
        assertThat(status.bannedFor()).isBetween(Duration.ZERO, LONGEST_BAN);
        assertThat(status.refuses()).isEqualTo(!decision.allowed());
    }

    private static long longestMicros(Limit limit) {
        long window = limit.quota().windowMicros();
        boolean isLonger = limit.algorithm() == Algorithm.SLIDING_WINDOW_COUNTER // counts in part in the next one
                || limit.algorithm() == Algorithm.TOKEN_BUCKET; // a debt of a window is refilled first
        long own = isLonger ? 2 * window : window;
        return limit.ban().isPresent() ? Math.max(own, Micros.of(LONGEST_BAN)) : own;
    }

    private PendingCall call(SeededRandom random, Limit limit) {
        long cost = limit.algorithm().countsElements() ? 1 : random.between(1, limit.capacity());
        return switch ((int) random.between(0, limit.ban().isPresent() ? 5 : 3)) {
            case 0, 1 -> acquire(limit, "alice", cost);
            case 2 -> operation(Operation.PEEK, limit, cost);
            case 3 -> settle(random, limit, cost);
            case 4 -> operation(Operation.FAIL, limit, cost);
            default -> operation(Operation.BAN, limit, cost);
        };
    }

    private PendingCall settle(SeededRandom random, Limit limit, long cost) {
        long takenAt = clock - random.between(0, limit.quota().windowMicros());
        Decision decision =
                Decision.of(List.of(LimitStatus.ofMicros(limit, 0, 0, 1_000_000)), Micros.toInstant(takenAt));
        long actual = limit.algorithm().countsCosts() && random.oneIn(2) ? 2 * cost : 0;
        return Asked.settling(List.of(charge(limit, "alice", cost)), new long[] {actual}, decision, 0);
    }

    private static PendingCall acquire(Limit limit, String subject, long cost) {
        return Asked.call(Operation.ACQUIRE, List.of(charge(limit, subject, cost)), 1, 0);
    }

    private static PendingCall operation(Operation operation, Limit limit, long cost) {
        return Asked.call(operation, List.of(charge(limit, "alice", cost)), 1, 0);
    }

    private static Charge charge(Limit limit, String subject, long cost) {
        return limit.algorithm().countsElements()
                ? new Charge(limit, subject, 1, Optional.of("element " + cost))
                : new Charge(limit, subject, cost);
    }

    /** Returns what some calls of another subject leave; of a ban, if the key is one's. */
    private byte[] realValue(SeededRandom random, Limit limit, String key) {
        redis.redis().del(key);
        String own = stateKeys.key(charge(limit, "carol", 1));
        String ownBan = StateKeyFormat.banKey(own);
        redis.redis().del(own, ownBan);
        for (long calls = random.ofAnySize(1, 40); calls > 0; calls--) {
            clock += random.oneIn(3) ? 0 : random.ofAnySize(1, 1 + limit.quota().windowMicros() / 8);
            redis.setClock(clock);
            Charge charge = charge(limit, "carol", limit.algorithm().countsElements() ? calls : 1);
            answer(List.of(Asked.call(Operation.ACQUIRE, List.of(charge), 1, 0)));
        }
        byte[] value = bytes.sync().get(bytes(key.endsWith(":ban") ? ownBan : own));
        return value == null ? new byte[] {1} : value;
    }

    private void put(SeededRandom random, String name, List<byte[]> real) {
        RedisCommands<byte[], byte[]> commands = bytes.sync();
        byte[] key = bytes(name);
        byte[] value = random.oneIn(4)
                ? random(
                        random, random.oneOf(13, 14, 16, 18, 19, 21, 23, 26, 30, 38, 46, 50, 70, 81, 92, 134, 202, 213))
                : random.oneOf(real.get(0), real.get(0), real.get(real.size() - 1))
                        .clone();
        switch ((int) random.between(0, 7)) {
            case 0 -> value = Arrays.copyOf(value, (int) random.between(1, value.length));
            case 1 -> value = Arrays.copyOf(value, value.length + (int) random.ofAnySize(1, 100));
            case 2 -> {
                int length = (int) random.between(0, value.length);
                System.arraycopy(random(random, length), 0, value, 0, length);
            }
            case 3 -> {
                byte same = (byte) -random.between(0, 1);
                Arrays.fill(value, (int) random.between(0, value.length - 1), value.length, same);
            }
            case 4 -> {
                commands.rpush(key, value);
                return;
            }
            case 5 -> {
                commands.pfadd(key, value);
                return;
            }
            default -> {
                for (long changes = random.ofAnySize(1, 12); changes > 0; changes--) {
                    int last = Math.min(value.length - 1, random.oneIn(2) ? 45 : value.length);
                    value[(int) random.between(0, last)] = (byte) random.between(-128, 127);
                }
            }
        }
        commands.set(key, value);
    }

    private static byte[] random(SeededRandom random, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.between(-128, 127);
        }
        return bytes;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] dump(String key) {
        byte[] dump = bytes.sync().dump(bytes(key));
        return dump == null ? new byte[0] : dump;
    }

    private static Limit limit(SeededRandom random, Algorithm algorithm) {
        return Limit.of(
                "api",
                algorithm,
                random.ofAnySize(1, 1_000),
                Duration.ofMillis(random.oneOf(1_000, 60_000, 86_400_000)));
    }

    private void answer(List<PendingCall> calls) {
        Batch batch = new Batch(new ArrayList<>(calls));
        EngineScript script = EngineScript.of(redis.clockText, batch.fragments());
        byte[] reply = runner.run(script, batch.keys(stateKeys), EngineRequest.of(batch, 0))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        new EngineReply(reply, Runnable::run, new OpenCalls()).answer(batch, TimeUnit.MINUTES.toNanos(1));
    }
}
