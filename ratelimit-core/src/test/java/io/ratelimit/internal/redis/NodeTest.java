package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.ratelimit.internal.Listeners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the master is looked for. How often is up to the connections. */
class NodeTest {

    private final List<Boolean> looked = new ArrayList<>();
    private final Node node = new Node(new Patience(Duration.ofMillis(100)), looked::add);
    private long nowNanos = System.nanoTime();

    @Test
    void whenItsBreakerOpensAndAsLongAsProbesGetNoAnswer() {
        silence();
        node.answered(nowNanos, nowNanos);
        for (int i = 0; i < 2; i++) {
            silence();
        }
        assertThat(looked).isEmpty();

        silence();
        assertThat(looked).containsExactly(false);

        silence();
        assertThat(looked).containsExactly(false, false);
    }

    @Test
    void atOnceIfThereIsNoConnection() {
        batch().ended(
                        new RedisException("Currently not connected. Commands are rejected."),
                        new Listeners<>(List.of()));

        assertThat(looked).containsExactly(false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
            })
    void ifItIsAReplica(String error) {
        batch().ended(new RedisCommandExecutionException(error), new Listeners<>(List.of()));

        assertThat(looked).containsExactly(true);
    }

    /** Its replica may have been promoted meanwhile. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CLUSTERDOWN The cluster is down",
                "LOADING Redis is loading the dataset in memory",
            })
    void ifItIsAMasterThatDoesNotServeNow(String error) {
        batch().ended(new RedisCommandExecutionException(error), new Listeners<>(List.of()));

        assertThat(looked).containsExactly(false);
    }

    @Test
    void butForNoOtherErrorAndNoAnswer() {
        batch().ended(new RedisCommandExecutionException("OOM command not allowed"), new Listeners<>(List.of()));
        batch().ended(new RedisCommandExecutionException("BUSY Redis is busy"), new Listeners<>(List.of()));
        batch().ended(null, new Listeners<>(List.of()));

        assertThat(looked).isEmpty();
    }

    private void silence() {
        nowNanos += Duration.ofSeconds(1).toNanos();
        node.unanswered(nowNanos, nowNanos + 1, false);
    }

    private InFlightBatch batch() {
        return new InFlightBatch(new Batch(List.of()), node, System.nanoTime(), new CompletableFuture<>(), null);
    }
}
