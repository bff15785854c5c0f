package io.ratelimit.testing;

import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random numbers that can be repeated: the seed of a run is logged, and {@code -Dratelimit.seed=…} sets it. Each test
 * has its own named stream, so running one test alone repeats what it did among the others.
 */
public final class SeededRandom {

    private static final Logger LOG = LoggerFactory.getLogger(SeededRandom.class);
    private static final long SEED = Long.getLong("ratelimit.seed", System.nanoTime());

    static {
        LOG.info("Random tests run with -Dratelimit.seed={}", SEED);
    }

    private final Random random;

    private SeededRandom(Random random) {
        this.random = random;
    }

    public static SeededRandom of(String stream) {
        return new SeededRandom(new Random(SEED * 31 + stream.hashCode()));
    }

    /** For {@code assertThat(…).as(SeededRandom.seed())}. */
    public static String seed() {
        return "with -Dratelimit.seed=" + SEED;
    }

    /** Returns an evenly distributed number from {@code least} to {@code most}, both included. */
    public long between(long least, long most) {
        return least + Math.floorMod(random.nextLong(), most - least + 1);
    }

    /** Returns a number whose logarithm is evenly distributed: 1 to 9 is as likely as 10 to 99. */
    public long ofAnySize(long least, long most) {
        double leastLog = Math.log((double) least);
        double log = leastLog + random.nextDouble() * (Math.log((double) most) - leastLog);
        return Math.min(most, Math.max(least, Math.round(Math.exp(log))));
    }

    public boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    @SafeVarargs
    public final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
