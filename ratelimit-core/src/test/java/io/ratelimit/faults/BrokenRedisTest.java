package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KillArgs;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One Redis under load that breaks in all the ways a Redis can, and comes back. */
@Tag("alone")
class BrokenRedisTest {

    private static final Duration A_WHILE = Duration.ofMillis(1_500);

    private RedisProcess server = RedisProcess.start();
    private final Trial trial = Trial.on(() -> server);

    @AfterEach
    void close() {
        trial.close();
        server.close();
    }

    @Test
    void killedAndRestarted() {
        trial.losesState().breakFor(A_WHILE, server::close, () -> server = RedisProcess.startOn(server.port()));

        trial.report("Redis killed and restarted");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    @Tag("slow")
    void hungForFiveSeconds() {
        trial.losesAnswers().breakFor(Duration.ofSeconds(5), () -> server.signal("STOP"), () -> server.signal("CONT"));

        trial.report("Redis hung for 5 s");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void pausedForAllCommands() {
        trial.breakFor(A_WHILE, () -> pause("ALL"), () -> {});

        trial.report("Redis paused (CLIENT PAUSE ALL)");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void pausedForWrites() {
        trial.breakFor(A_WHILE, () -> pause("WRITE"), () -> {});

        trial.report("Redis paused (CLIENT PAUSE WRITE)");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void scriptsFlushedEveryTenthOfASecond() {
        trial.breakFor(Duration.ZERO, this::flushScriptsTwentyTimes, () -> {});

        trial.report("Scripts flushed every 100 ms");
        assertThat(trial.answers().withoutStore())
                .isLessThanOrEqualTo(trial.load().missesOfAStalledMachine());
    }

    @Test
    void flushed() {
        trial.losesState().breakFor(Duration.ZERO, () -> trial.redis().flushall(), () -> {});

        trial.report("FLUSHALL");
        assertThat(trial.answers().withoutStore())
                .isLessThanOrEqualTo(trial.load().missesOfAStalledMachine());
    }

    @Test
    void outOfMemory() {
        trial.breakFor(
                A_WHILE,
                () -> trial.redis().configSet("maxmemory", "1"),
                () -> trial.redis().configSet("maxmemory", "0"));

        trial.report("Redis out of memory");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void readOnlyReplica() {
        trial.breakFor(
                A_WHILE,
                () -> trial.redis().replicaof("127.0.0.1", RedisProcess.freePort()),
                () -> trial.redis().replicaofNoOne());

        trial.report("Redis became a read-only replica");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void passwordChanged() {
        lockOut("requirepass", "another", "");

        trial.report("Wrong password");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    @Test
    void tooManyClients() {
        lockOut("maxclients", "1", "1000");

        trial.report("Too many clients");
        assertThat(trial.answers().withoutStore()).isPositive();
    }

    /** Ends by itself: while it lasts, Redis carries out no command that could end it. */
    private void pause(String commands) {
        CommandArgs<String, String> pause = new CommandArgs<>(StringCodec.UTF8)
                .add("PAUSE")
                .add(A_WHILE.toMillis())
                .add(commands);
        trial.redis().dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), pause);
    }

    /** Cuts all connections, while the setting lets no new ones in. */
    private void lockOut(String setting, String locked, String open) {
        trial.losesAnswers()
                .breakFor(
                        A_WHILE,
                        () -> {
                            trial.redis().configSet(setting, locked);
                            trial.redis()
                                    .clientKill(KillArgs.Builder.typeNormal().skipme());
                        },
                        () -> trial.redis().configSet(setting, open));
    }

    private void flushScriptsTwentyTimes() {
        IntStream.range(0, 20).forEach(i -> {
            trial.redis().scriptFlush();
            Trial.await(Duration.ofMillis(100));
        });
    }
}
