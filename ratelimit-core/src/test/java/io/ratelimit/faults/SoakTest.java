package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One fault after the other under load, for {@code -Dratelimit.soak.seconds}, 60 unless said. */
@Tag("slow")
class SoakTest {

    private static final Logger LOG = LoggerFactory.getLogger(SoakTest.class);
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("ratelimit.soak.seconds", 60));
    private static final Duration A_WHILE = Duration.ofMillis(700);
    private static final long MOST_MORE_BYTES = 32L << 20;

    private RedisProcess server = RedisProcess.start();
    private final Trial trial =
            Trial.on(() -> server, Algorithm.SLIDING_WINDOW_COUNTER).losesState();

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
        long keysBefore = trial.redis().dbsize();
        int rounds = 1;
        while (System.nanoTime() - start < LENGTH.toNanos()) {
            oneOfEachFault();
            rounds++;
        }

        long moreBytes = usedBytes() - bytesBefore;
        LOG.info(
                "Soak of {} s, {} rounds of 4 faults: {} MB more heap, {} keys after {} before",
                LENGTH.toSeconds(),
                rounds,
                moreBytes >> 20,
                trial.redis().dbsize(),
                keysBefore);
        trial.report("Soak");
        assertThat(trial.redis().dbsize()).isLessThanOrEqualTo(keysBefore);
        assertThat(moreBytes).isLessThan(MOST_MORE_BYTES);
    }

    private void oneOfEachFault() {
        trial.breakFor(A_WHILE, server::close, () -> server = RedisProcess.startOn(server.port()));
        trial.breakFor(A_WHILE, () -> server.signal("STOP"), () -> server.signal("CONT"));
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
