package io.ratelimit.benchmarks;

import java.time.Duration;

/** An application of a contender, in a process of its own, and the path that is asked for. */
record HttpApplication(String path, ApplicationProcess process) implements AutoCloseable {

    static final int CONNECTIONS = 32;

    /**
     * Requests served in a time, and the time of the processors that they took, as the system counts it: in steps of 10 ms.
     *
     * @param perSecond requests served a second
     * @param cpuMicros processor time of the process for one of them
     */
    record Served(double perSecond, double cpuMicros) {}

    HttpLoad load(int users) {
        return new HttpLoad(process.port(), CONNECTIONS, path, users);
    }

    /** Returns what is served from now on until this much time has passed. */
    Served during(HttpLoad load, Duration time) {
        return during(load, () -> DecisionMeter.sleep(time));
    }

    /** Returns what is served from now on until the wait is over. */
    Served during(HttpLoad load, Runnable wait) {
        long answered = load.answered();
        Duration cpu = process.cpuTime();
        long startNanos = System.nanoTime();
        wait.run();
        double count = load.answered() - answered;
        return new Served(
                count * 1e9 / (System.nanoTime() - startNanos),
                process.cpuTime().minus(cpu).toNanos() / 1e3 / count);
    }

    @Override
    public void close() {
        process.close();
    }
}
