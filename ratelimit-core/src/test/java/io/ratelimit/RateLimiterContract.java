package io.ratelimit;

/**
 * What every store passes. Extend it, answer a store that knows nobody yet and let its clock be set; a store may add
 * tests of its own, and takes none of these away.
 */
public abstract class RateLimiterContract
        implements EveryAlgorithmContract,
                AllOrNothingContract,
                MixedNumbersContract,
                QuotaStoriesContract,
                UndoContract,
                ManyThreadsContract {}
