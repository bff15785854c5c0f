package io.ratelimit.benchmarks;

/** The kind of machine: what one needs to know to judge the numbers, and nothing that tells which machine it is. */
record Machine(int cores, String java, String system, String redis) {

    static Machine here(RedisSite redis) {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                "%s (%s)".formatted(System.getProperty("java.version"), System.getProperty("java.vm.name")),
                "%s, %s".formatted(System.getProperty("os.name"), System.getProperty("os.arch")),
                redis.version());
    }

    String text() {
        return "%d cores (shared by Redis and the callers), %s, JDK %s, Redis %s".formatted(cores, system, java, redis);
    }
}
