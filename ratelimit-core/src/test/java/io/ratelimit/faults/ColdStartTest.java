package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.JavaProcess;
import io.ratelimit.testing.RedisProcess;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first calls of a process are as exact as any: fifty processes one after the other, beside two busy loops. */
@Tag("alone")
class ColdStartTest {

    private static final int PROCESSES = 50;

    private volatile boolean busy = true;

    @BeforeEach
    void keepTheMachineBusy() {
        Stream.generate(() -> new Thread(this::spin)).limit(2).forEach(Thread::start);
    }

    @AfterEach
    void stop() {
        busy = false;
    }

    @Test
    void tenOfTwentyFirstCallsAtOnceAreAdmitted() {
        try (RedisProcess server = RedisProcess.start()) {
            assertThat(IntStream.range(0, PROCESSES)
                            .mapToObj(i -> JavaProcess.start(Newcomer.class, server.uri(), 10L * (i + 1))
                                    .output()))
                    .allSatisfy(said -> assertThat(said).contains("admitted 10, not by the store 0"));
        }
    }

    private void spin() {
        while (busy) {
            Thread.onSpinWait();
        }
    }
}
