package io.ratelimit.lab;

import java.util.concurrent.TimeUnit;

/** Waits of the lab itself. */
public final class Pauses {

    private Pauses() {}

    public static void millis(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
