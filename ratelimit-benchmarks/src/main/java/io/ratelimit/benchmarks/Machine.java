package io.ratelimit.benchmarks;

/** The kind of machine: what one needs to judge the numbers, and nothing that says which machine it is. */
public record Machine(int cores, String java, String system, String redis) {

    public static Machine here(RedisSite redis) {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.version"),
                "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
                redis.version());
    }

    public String text() {
        return "%d cores for all, %s, JDK %s, Redis %s".formatted(cores, system, java, redis);
    }
}
