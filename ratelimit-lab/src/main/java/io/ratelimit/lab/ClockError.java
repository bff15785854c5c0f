package io.ratelimit.lab;

import java.time.Duration;

/**
 * How wrong the clock of an instance is.
 *
 * @param ahead by how much it is ahead when the instance starts; negative if it is behind
 * @param gain by how much it gains on the time that passes: 0.1 is a tenth of a second each second
 */
public record ClockError(Duration ahead, double gain) {

    static final ClockError NONE = new ClockError(Duration.ZERO, 0);

    static ClockError ahead(Duration ahead) {
        return new ClockError(ahead, 0);
    }

    static ClockError gaining(double gain) {
        return new ClockError(Duration.ZERO, gain);
    }
}
