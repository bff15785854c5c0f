package io.ratelimit.testing;

import java.util.Random;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random numbers that can be repeated. {@code -Dratelimit.seed=…} sets the seed of a run, which is 1 unless said, and
 * {@code -Dratelimit.tries=100} plays all tries instead of a tenth of them. Each test has its own named stream, so running
 * one test alone repeats what it did among the others.
 */
public final class SeededRandom {

    private static final Logger LOG = LoggerFactory.getLogger(SeededRandom.class);
    private static final long SEED = Long.getLong("ratelimit.seed", 1);
    private static final int PERCENT = Integer.getInteger("ratelimit.tries", 10);

    static {
        LOG.info("Random tests run with -Dratelimit.seed={} and {} % of their tries", SEED, PERCENT);
    }

    private final Random random;

    private SeededRandom(Random random) {
        this.random = random;
    }

    public static SeededRandom of(String stream) {
        return new SeededRandom(new Random(seedOf(stream)));
    }

    /**
     * Plays the schedules that {@link KeptSeeds} has of the stream, then so many new ones, or a tenth of them. Each has a seed
     * of its own, which a failure names and, by night, keeps.
     */
    public static void each(String stream, int tries, Consumer<SeededRandom> schedule) {
        KeptSeeds.of(stream).forEach(seed -> play(stream, seed, schedule));
        Random seeds = new Random(seedOf(stream));
        for (int i = 0; i < share(tries); i++) {
            play(stream, seeds.nextLong(), schedule);
        }
    }

    static long seedOf(String stream) {
        return SEED * 31 + stream.hashCode();
    }

    /** Returns how many of so many tries this run makes, at least 1. */
    public static int share(int tries) {
        return Math.max(1, tries * PERCENT / 100);
    }

    /** For {@code assertThat(…).as(SeededRandom.seed())}. */
    public static String seed() {
        return "with -Dratelimit.seed=" + SEED;
    }

    private static void play(String stream, long seed, Consumer<SeededRandom> schedule) {
        try {
            schedule.accept(new SeededRandom(new Random(seed)));
        } catch (Exception | AssertionError failure) {
            KeptSeeds.keep(stream, seed);
            throw new AssertionError(
                    "seed %d of '%s' (%s): %s".formatted(seed, stream, seed(), failure.getMessage()), failure);
        }
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
