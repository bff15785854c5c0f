package io.ratelimit.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.RateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/**
 * Measures what a decision costs with the version of {@code ratelimit-core} that is on the class path, and prints it.
 * {@link EarlierVersion} runs it in a process of its own, so it uses only what all versions have.
 */
final class DecisionCost {

    enum Kind {
        IN_MEMORY("in memory, one thread", Unit.NANOS),
        REDIS_ALONE("Redis' time, one call at a time", Unit.MICROS),
        JVM_ALONE("CPU time of the JVM, one call at a time", Unit.MICROS),
        REDIS_BATCHED("Redis' time, 64 calls at a time", Unit.MICROS),
        JVM_BATCHED("CPU time of the JVM, 64 calls at a time", Unit.MICROS);

        final String what;
        final Unit unit;

        Kind(String what, Unit unit) {
            this.what = what;
            this.unit = unit;
        }
    }

    private static final int SUBJECTS = 1_024;
    private static final int IN_MEMORY = 1_000_000;
    private static final int ALONE = 5_000;
    private static final int BATCHED = 60_000;
    private static final Pattern MICROS_IN_SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=\\d+,usec=(\\d+)");

    private final Subjects subjects = new Subjects(SUBJECTS);

    private DecisionCost() {}

    /**
     * Prints a line for each kind: its name and what a decision costs.
     *
     * @param args the URI of Redis
     */
    public static void main(String[] args) throws ReflectiveOperationException {
        DecisionCost cost = new DecisionCost();
        cost.printInMemory();
        RedisClient client = RedisClient.create(args[0]);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            RateLimiter limiter = onRedis(RedisConnections.of(connection));
            RedisCommands<String, String> commands = connection.sync();
            cost.printOnRedis(Kind.REDIS_ALONE, Kind.JVM_ALONE, commands, ALONE, calls -> cost.decide(limiter, calls));
            cost.printOnRedis(
                    Kind.REDIS_BATCHED,
                    Kind.JVM_BATCHED,
                    commands,
                    BATCHED,
                    calls -> Pipeline.run(calls, 64, i -> limiter.acquireAsync(cost.acquisition(i))));
        }
        System.exit(0); // with all threads of the limiter
    }

    private void printInMemory() throws ReflectiveOperationException {
        RateLimiter limiter = built(RateLimiterStack.class.getMethod("inMemory").invoke(null));
        nanosEach(limiter, 5 * IN_MEMORY);
        double median = DoubleStream.generate(() -> nanosEach(limiter, IN_MEMORY))
                .limit(9)
                .sorted()
                .skip(4)
                .findFirst()
                .orElseThrow();
        print(Kind.IN_MEMORY, median);
    }

    private double nanosEach(RateLimiter limiter, int calls) {
        long startNanos = System.nanoTime();
        decide(limiter, calls);
        return (double) (System.nanoTime() - startNanos) / calls;
    }

    private static RateLimiter onRedis(RedisConnections connections) throws ReflectiveOperationException {
        Object builder = RateLimiterStack.class
                .getMethod("onRedis", RedisConnections.class)
                .invoke(null, connections);
        builder.getClass().getMethod("timeout", Duration.class).invoke(builder, Duration.ofSeconds(5));
        builder.getClass().getMethod("onStoreFailure", FailurePolicy.class).invoke(builder, FailurePolicy.CLOSED);
        return built(builder);
    }

    /** By its name, because the class of the builder is another one in earlier versions. */
    private static RateLimiter built(Object builder) throws ReflectiveOperationException {
        return (RateLimiter) builder.getClass().getMethod("build").invoke(builder);
    }

    /** Prints Redis' time and this process's for each call, after as many to warm up. */
    private void printOnRedis(
            Kind redis, Kind jvm, RedisCommands<String, String> commands, int calls, IntConsumer load) {
        load.accept(calls);
        commands.configResetstat();
        long startNanos = cpuNanos();
        load.accept(calls);
        double jvmMicros = (cpuNanos() - startNanos) / 1e3;
        Matcher scripts = MICROS_IN_SCRIPTS.matcher(commands.info("commandstats"));
        if (!scripts.find()) {
            throw new IllegalStateException("Redis says nothing about EVALSHA");
        }
        print(redis, Double.parseDouble(scripts.group(1)) / calls);
        print(jvm, jvmMicros / calls);
    }

    private void decide(RateLimiter limiter, int calls) {
        for (int i = 0; i < calls; i++) {
            if (!limiter.acquire(acquisition(i)).allowed()) {
                throw new IllegalStateException("a decision that should admit has refused");
            }
        }
    }

    private Acquisition acquisition(int index) {
        return Acquisition.of(Limits.AMPLE, subjects.get(index % SUBJECTS));
    }

    static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void print(Kind kind, double number) {
        System.out.println(kind + " " + number);
    }
}
