package io.ratelimit.lab.peer;

import java.time.Instant;

/** What an instance whose clock is wrong gets instead of {@link System#currentTimeMillis} and {@link Instant#now}. */
public final class InstanceTime {

    private static volatile long startMillis;
    private static volatile long aheadMillis;
    private static volatile double gain;

    private InstanceTime() {}

    /** Called once, on the copy of this class that the instance has, when it starts. */
    public static void set(long ahead, double gained) {
        startMillis = System.currentTimeMillis();
        aheadMillis = ahead;
        gain = gained;
    }

    public static long currentTimeMillis() {
        long nowMillis = System.currentTimeMillis();
        return nowMillis + errorMillis(nowMillis);
    }

    public static Instant now() {
        Instant now = Instant.now();
        return now.plusMillis(errorMillis(now.toEpochMilli()));
    }

    private static long errorMillis(long nowMillis) {
        return aheadMillis + Math.round(gain * (nowMillis - startMillis));
    }
}
