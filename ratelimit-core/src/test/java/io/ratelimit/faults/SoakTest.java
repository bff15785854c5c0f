package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.FailurePolicy;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One fault after the other under a mixed load, for {@code -Dratelimit.soak.seconds}, 60 by default. */
@Tag("slow")
@Tag("alone")
class SoakTest {

    private static final Logger LOG = LoggerFactory.getLogger(SoakTest.class);
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("ratelimit.soak.seconds", 60));
    private static final Duration A_WHILE = Duration.ofMillis(700);
    private static final long MOST_MORE_BYTES = 8L << 20;
    private static final int KEYS_OF_THE_LOAD = FailurePolicy.values().length;

    private RedisProcess server = RedisProcess.start();
    private final Trial trial =
            Trial.on(() -> server, Callers.few(), new MixedCalls()).losesState();

    @AfterEach
    void close() {
        trial.close();
        server.close();
    }

    @Test
    void everyDecisionIsAccountedForAndNothingGrows() {
        long start = System.nanoTime();
        oneOfEachFault();
        long bytesBefore = usedBytes();
        long threadsBefore = Leftovers.lastingThreads();
        long mostBytes = bytesBefore;
        int rounds = 1;
        while (System.nanoTime() - start < LENGTH.toNanos()) {
            mostBytes = Math.max(mostBytes, usedBytes());
            oneOfEachFault();
            rounds++;
            assertThat(trial.redis().dbsize()).isLessThanOrEqualTo(KEYS_OF_THE_LOAD + MixedCalls.MOST_KEYS);
        }
        long threadsAfter = Leftovers.lastingThreads();
        long keysAtTheEnd = trial.redis().dbsize();

        trial.report("Soak");
        long bytesAfter = usedBytes();
        Awaitility.await("the end of all keys but those of the load")
                .untilAsserted(() -> assertThat(trial.redis().dbsize()).isEqualTo(KEYS_OF_THE_LOAD));
        LOG.info(
                "Soak of {} s, {} rounds of 5 faults: heap {} KB after the first, {} KB after the last, {} KB at most;"
                        + " {} and {} threads; {} keys, {} once they had ended",
                LENGTH.toSeconds(),
                rounds,
                bytesBefore >> 10,
                bytesAfter >> 10,
                mostBytes >> 10,
                threadsBefore,
                threadsAfter,
                keysAtTheEnd,
                trial.redis().dbsize());
        assertThat(bytesAfter - bytesBefore).isLessThan(MOST_MORE_BYTES);
        assertThat(threadsAfter).isEqualTo(threadsBefore);
    }

    private void oneOfEachFault() {
        trial.breakFor(A_WHILE, server::close, () -> server = RedisProcess.startOn(server.port()));
        trial.breakFor(A_WHILE, () -> server.signal("STOP"), () -> server.signal("CONT"));
        trial.breakFor(A_WHILE, () -> trial.redis().clientPause(A_WHILE.toMillis()), () -> {});
        trial.breakFor(
                A_WHILE,
                () -> trial.redis().configSet("maxmemory", "1"),
                () -> trial.redis().configSet("maxmemory", "0"));
        trial.breakFor(Duration.ZERO, () -> trial.redis().scriptFlush(), () -> {});
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
