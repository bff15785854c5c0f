package io.ratelimit;

/**
 * The contract that every store passes. A test class implements it and provides an empty store with a settable clock.
 * It may add its own tests, but must not remove any of these.
 */
public abstract class RateLimiterContract
        implements EveryAlgorithmContract,
                AllOrNothingContract,
                MixedNumbersContract,
                QuotaStoriesContract,
                UndoContract,
                SettleContract,
                UpToContract,
                BanContract,
                BanLogContract,
                BlockContract,
                CapContract,
                BansOfPlansContract,
                ConcurrencyContract,
                UniqueCountContract,
                ApproximateCountContract,
                ManyThreadsContract {}
