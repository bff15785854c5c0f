package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.RedisSentinelProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts a Redis under load, breaks and repairs it, and checks what must hold after any fault. */
final class Trial implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Trial.class);

    private final List<Long> threadsBefore = Leftovers.threads();
    private final Supplier<List<RedisProcess>> servers;
    private final RedisClient adminClient;
    private final StatefulRedisConnection<String, String> admin;
    private final Stack stack;
    private final Load load;
    private final long connectionsBefore;
    private long backNanos = System.nanoTime();
    private boolean stateSurvives = true;
    private boolean replicated;
    private boolean answersGetLost;

    private Trial(
            Supplier<List<RedisProcess>> servers,
            RedisURI adminUri,
            Stack stack,
            Callers callers,
            UnaryOperator<Acquisition> calls) {
        this.servers = servers;
        this.adminClient = RedisClient.create(adminUri);
        this.admin = adminClient.connect();
        this.stack = stack;
        stack.warmUp();
        this.load = new Load(stack.limiter(), callers, calls);
        awaitAnswersOfTheStore();
        this.connectionsBefore = connections();
    }

    /** On the master that Sentinel names. */
    static Trial on(RedisSentinelProcess sentinel) {
        return new Trial(
                sentinel::servers, sentinel.uri(), Stack.on(sentinel.uri()), Callers.few(), UnaryOperator.identity());
    }

    /** On a Cluster, of which that master tells of the others. */
    static Trial on(RedisClusterProcess cluster, RedisProcess master) {
        RedisURI uri = RedisURI.create(master.uri());
        return new Trial(cluster::servers, uri, Stack.onCluster(master.uri()), Callers.few(), UnaryOperator.identity());
    }

    /** On one Redis, which may be another process on the same port later on. */
    static Trial on(Supplier<RedisProcess> server) {
        return on(server, Callers.few(), UnaryOperator.identity());
    }

    static Trial on(Supplier<RedisProcess> server, Callers callers, UnaryOperator<Acquisition> calls) {
        RedisURI uri = RedisURI.create(server.get().uri());
        return new Trial(
                () -> List.of(server.get()),
                uri,
                Stack.on(RedisURI.create(server.get().uri())),
                callers,
                calls);
    }

    RedisCommands<String, String> redis() {
        return admin.sync();
    }

    Load load() {
        return load;
    }

    Answers answers() {
        return load.answers;
    }

    /** The fault takes what Redis had counted with it. */
    Trial losesState() {
        stateSurvives = false;
        return this;
    }

    /** What a master counted last may not have reached the replica that takes its place. */
    Trial losesWhatIsNotReplicated() {
        replicated = true;
        return losesAnswers();
    }

    /** What Redis counted last may be answered long after, or never; else it is, and goes back if that was too late. */
    Trial losesAnswers() {
        answersGetLost = true;
        return this;
    }

    void breakFor(Duration duration, Runnable fault, Runnable end) {
        fault.run();
        await(duration);
        end.run();
        backNanos = System.nanoTime();
        awaitAnswersOfTheStore();
        Awaitility.await("a second of answers by the store alone")
                .atMost(Duration.ofSeconds(30))
                .until(() -> System.nanoTime() - backNanos
                        > load.lastWithoutStoreAfter(backNanos).plusSeconds(1).toNanos());
    }

    /** Ends the load, says the figures in one line, and holds them against what is promised. */
    void report(String fault) {
        measure(fault).assertKept();
    }

    /** Ends the load, says the figures in one line, holds them against what is promised, and returns the times. */
    Times measure(String fault) {
        load.close();
        long extra = stateSurvives ? charged() - load.answers.count(Answers.Answer.STORE_ALLOWED) : 0;
        Duration back = load.lastWithoutStoreAfter(backNanos);
        String figures = "%s: %s, exact again after %d ms, charged without an answer %d"
                .formatted(fault, load, back.toMillis(), extra);
        LOG.info(figures);
        assertThat(load.answers.wrong).isEmpty();
        assertThat(extra).isBetween(replicated ? -1_000L : 0L, mostChargedWithoutAnAnswer());
        assertThat(load.asked.sum()).isEqualTo(load.answers.ofStore() + load.answers.withoutStore());
        assertThat(load.asked.sum())
                .isEqualTo(load.answers.allowed.sum()
                        + load.answers.refused.sum()
                        + load.answers.count(Answers.Answer.UNAVAILABLE));
        // a master may have another's place, with its connections; Lettuce asks all nodes of a Cluster who is who on
        // connections of their own, which end by themselves
        Awaitility.await("as many connections as before")
                .untilAsserted(() -> assertThat(connections()).isEqualTo(connectionsBefore));
        assertThat(redis().keys("*")).isNotEmpty();
        assertThat(Leftovers.keysWithoutTimeToLive(servers.get())).isEmpty();
        return new Times(figures, load.longest(), back.minus(load.stolen.soFar()));
    }

    @Override
    public void close() {
        load.close();
        stack.close();
        Leftovers.assertNone(servers.get());
        admin.close();
        adminClient.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        Awaitility.await("threads as before")
                .untilAsserted(() -> assertThat(threadsBefore).containsAll(Leftovers.threads()));
    }

    static void await(Duration duration) {
        Awaitility.await().pollDelay(duration).atMost(duration.plusSeconds(20)).until(() -> true);
    }

    private void awaitAnswersOfTheStore() {
        long before = load.answers.count(Answers.Answer.STORE_ALLOWED);
        Awaitility.await("answers of the store")
                .atMost(Duration.ofSeconds(30))
                .until(() -> load.answers.count(Answers.Answer.STORE_ALLOWED) > before + 500);
    }

    /** One of each caller, if an answer got lost, or the machine stood still: what goes back may be late then, too. */
    private long mostChargedWithoutAnAnswer() {
        return answersGetLost || load.missesOfAStalledMachine() > 0 ? load.callers.count() : 0;
    }

    private long connections() {
        return Leftovers.connections(servers.get());
    }

    private long charged() {
        return Arrays.stream(FailurePolicy.values())
                .mapToLong(policy -> Load.MOST
                        - stack.limiter()
                                .peek(load.one(policy).withOnStoreFailure(FailurePolicy.CLOSED))
                                .remaining())
                .sum();
    }
}
