package io.ratelimit.lab.peer;

import java.time.Instant;

/** What an instance whose clock is wrong gets instead of {@link System#currentTimeMillis} and {@link Instant#now}. */
public final class InstanceTime {

    private static volatile long shiftMillis;

    private InstanceTime() {}

    /** Called once, on the copy of this class that the instance has. */
    public static void shift(long millis) {
        shiftMillis = millis;
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis() + shiftMillis;
    }

    public static Instant now() {
        return Instant.now().plusMillis(shiftMillis);
    }
}
