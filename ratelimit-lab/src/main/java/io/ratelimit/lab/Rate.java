package io.ratelimit.lab;

import java.time.Duration;

/** The numbers that all contenders of an experiment limit by. */
public record Rate(long limit, long windowMicros) {

    public static Rate perSecond(long limit) {
        return new Rate(limit, 1_000_000);
    }

    public Duration window() {
        return Duration.ofNanos(windowMicros * 1_000);
    }
}
