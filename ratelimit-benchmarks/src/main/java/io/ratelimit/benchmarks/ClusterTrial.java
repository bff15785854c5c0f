package io.ratelimit.benchmarks;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisClusterProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Fifty instances whose callers come independently of each other, over a Cluster of six masters, in real time. */
final class ClusterTrial implements AutoCloseable {

    static final int INSTANCES = 50;
    static final int MASTERS = 6;

    private static final Duration WARM_UP = Duration.ofSeconds(15);
    private static final Duration MEASURED = Duration.ofSeconds(20);
    private static final int CALLS_TO_WARM_UP = 200_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * @param aSecond what all masters use beyond what they use without load
     * @param jvmMicros what the instances use of their processors in a second
     */
    record Used(double memoryBytes, RedisUsage aSecond, double jvmMicros) {}

    private final SplittableRandom random = new SplittableRandom(1);
    private final RedisClusterProcess cluster = RedisClusterProcess.start(MASTERS);
    private final RedisClusterClient client = RedisClusterClient.create(cluster.uri());
    private final List<StatefulRedisClusterConnection<String, String>> connections = new ArrayList<>();
    private final List<RateLimiterStack> instances = IntStream.range(0, INSTANCES)
            .mapToObj(instance -> RateLimiterStack.onRedis(RedisConnections.of(connect()))
                    .timeout(TIMEOUT)
                    .onStoreFailure(FailurePolicy.CLOSED)
                    .build())
            .toList();

    private StatefulRedisClusterConnection<String, String> connect() {
        StatefulRedisClusterConnection<String, String> connection = client.connect();
        connections.add(connection);
        return connection;
    }

    Used run(CapacityLoad load) {
        connections.get(0).sync().flushall();
        Pipeline.run(
                CALLS_TO_WARM_UP,
                64,
                i -> decide(i % INSTANCES, i % (int) load.subjects())); // traffic waits for nobody
        traffic(load, WARM_UP.dividedBy(3)); // with connections and tables as large as they get
        connections.get(0).sync().flushall();
        double emptyBytes = memory();
        Pipeline.run((int) load.subjects(), 64, i -> decide(i % INSTANCES, i));
        double memoryBytes = memory() - emptyBytes;
        traffic(load, WARM_UP);
        long startNanos = DecisionCost.cpuNanos();
        RedisUsage loaded = used(() -> traffic(load, MEASURED));
        double jvmMicros = (DecisionCost.cpuNanos() - startNanos) / 1e3 / MEASURED.toSeconds();
        return new Used(memoryBytes, loaded.since(used(() -> DecisionMeter.sleep(MEASURED))), jvmMicros);
    }

    /** Returns what all masters use a second while that goes on. */
    private RedisUsage used(Runnable load) {
        RedisUsage before = usage();
        load.run();
        return usage().since(before).each((int) MEASURED.toSeconds());
    }

    private RedisUsage usage() {
        return RedisUsage.sum(cluster.masters().stream()
                .map(master -> RedisUsage.of(master.ask(redis -> redis.info())))
                .toList());
    }

    private double memory() {
        return cluster.masters().stream()
                .mapToDouble(master -> RedisUsage.memory(master.ask(redis -> redis.info("memory"))))
                .sum();
    }

    /** Lets callers come for that long: at any of the instances, about any of the subjects. */
    private void traffic(CapacityLoad load, Duration time) {
        new Poisson(random, load.perSecond())
                .run(time, () -> decide(random.nextInt(INSTANCES), random.nextInt((int) load.subjects())));
    }

    private CompletionStage<?> decide(int instance, int subject) {
        return instances.get(instance).acquireAsync(Acquisition.of(Limits.LASTING, Subjects.name(subject)));
    }

    @Override
    public void close() {
        instances.forEach(RateLimiterStack::close);
        connections.forEach(StatefulRedisClusterConnection::close);
        client.shutdown(Duration.ZERO, Duration.ZERO);
        cluster.close();
    }
}
