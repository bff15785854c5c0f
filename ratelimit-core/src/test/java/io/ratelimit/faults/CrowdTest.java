package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thousand callers on the stack that the starter builds, while Redis is silent for a moment, hangs or dies. They need
 * both processors, and whatever else runs on them adds to the times of a trial, but not to those of each trial: one of three
 * must keep the times, and each of them all else.
 */
@Tag("slow")
@Tag("alone")
class CrowdTest {

    private static final int TRIALS = 3;

    /** The first thousand threads of a process wait for its compiler, which is not what is measured here. */
    @BeforeAll
    static void warmUp() {
        once(Callers.Kind.THREADS, (server, trial) -> {
            trial.losesAnswers()
                    .breakFor(
                            Duration.ofMillis(500),
                            () -> server.get().signal("STOP"),
                            () -> server.get().signal("CONT"));
            return trial.measure("Warming up");
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aSilenceOf110MillisIsOverWhenItIsOver(Callers.Kind kind) {
        trial(kind, (server, trial) -> {
            trial.losesAnswers()
                    .breakFor(
                            Duration.ofMillis(110),
                            () -> server.get().signal("STOP"),
                            () -> server.get().signal("CONT"));

            assertThat(trial.answers().ofStore()).isPositive();
            return trial.measure("Silence of 110 ms, 1,000 " + kind);
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void hangsForASecond(Callers.Kind kind) {
        trial(kind, (server, trial) -> {
            trial.losesAnswers()
                    .breakFor(
                            Duration.ofSeconds(1),
                            () -> server.get().signal("STOP"),
                            () -> server.get().signal("CONT"));

            assertThat(trial.answers().withoutStore()).isPositive();
            return trial.measure("Hung for 1 s, 1,000 " + kind);
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void diesAndComesBack(Callers.Kind kind) {
        trial(kind, (server, trial) -> {
            RedisProcess first = server.get();
            trial.losesState()
                    .losesAnswers()
                    .breakFor(
                            Duration.ofSeconds(1), first::close, () -> server.set(RedisProcess.startOn(first.port())));

            assertThat(trial.answers().withoutStore()).isPositive();
            return trial.measure("Killed and restarted after 1 s, 1,000 " + kind);
        });
    }

    static List<Callers.Kind> kinds() {
        return Stream.of(Callers.Kind.values())
                .filter(kind -> kind != Callers.Kind.VIRTUAL_THREADS || Threads.haveVirtual())
                .toList();
    }

    private interface Story {
        Times tell(AtomicReference<RedisProcess> server, Trial trial);
    }

    private static void trial(Callers.Kind kind, Story story) {
        Times times = once(kind, story);
        for (int i = 1; i < TRIALS && !times.areKept(); i++) {
            times = once(kind, story);
        }
        times.assertKept();
    }

    private static Times once(Callers.Kind kind, Story story) {
        AtomicReference<RedisProcess> server = new AtomicReference<>(RedisProcess.start());
        try (Trial trial = Trial.on(server::get, Callers.aThousand(kind), UnaryOperator.identity())) {
            return story.tell(server, trial);
        } finally {
            server.get().close();
        }
    }
}
