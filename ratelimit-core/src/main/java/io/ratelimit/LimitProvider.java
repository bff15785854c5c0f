package io.ratelimit;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives limits other numbers for some subjects, such as those of a customer's contract, while the application runs. Must be
 * thread-safe.
 *
 * <pre>{@code
 * LimitProvider contracts = (limit, subject) -> contracts.of(subject).map(contract -> Numbers.of(contract.requests()));
 * }</pre>
 *
 * <p>It is asked on threads of the limiter's own, up to {@value #MOST_LOOKUPS} at a time, so it may block. The first call of a
 * subject waits for half of the limiter's timeout at most, and gets the limit's own numbers if it has not answered by then. Later calls never wait: what it gave is
 * used for {@value #FRESH_SECONDS} seconds, asked for anew a little earlier if the subject calls, and kept while it fails. A subject that comes back
 * after that time waits as at first, and gets what was given last if it takes too long. The provider fails if it
 * throws, returns null or numbers that the limit cannot have, or takes longer than {@value #LONGEST_SECONDS} seconds, after which it is
 * interrupted. 100,000 subjects are kept, those that call most.
 *
 * <p>What is counted stays when the numbers change. Limits with a lease or shards are not asked for.
 */
@FunctionalInterface
public interface LimitProvider {

    /** Seconds after which numbers are asked for anew. */
    int FRESH_SECONDS = 60;

    /** Seconds that an answer may take. */
    int LONGEST_SECONDS = 10;

    /** The number of answers that are looked up at a time. */
    int MOST_LOOKUPS = 16;

    /** The name of the plan of limits that have provided numbers. */
    String PLAN = "provider";

    /**
     * Returns the numbers of the limit for the subject; empty if it has the limit's own.
     *
     * @param limit with its own numbers, or those of the call's plan
     * @param subject whom the limit counts; belongs in no log or metric
     */
    Optional<Numbers> numbers(Limit limit, String subject) throws Exception;

    /**
     * Returns whether some subjects of the limit have numbers of their own, true by default. Return false for limits that
     * count what anybody can make up, such as addresses, because each subject is looked up. Called for each call of the limit, so
     * it must be fast.
     */
    default boolean provides(Limit limit) {
        return true;
    }

    /** The end of a look-up. */
    enum Outcome {
        /** There are numbers. */
        FOUND,
        /** The subject has the limit's own numbers. */
        NONE,
        /** There is no answer, or none that can be used. */
        FAILED
    }

    /**
     * The numbers of a limit for one subject. Checked against the limit when they are used.
     *
     * @param maxRequests requests per window
     * @param burst of a token bucket; as the limit has it if empty
     */
    record Numbers(long maxRequests, OptionalLong burst) {

        /** Creates numbers with the burst of the limit, if it has one. */
        public static Numbers of(long maxRequests) {
            return new Numbers(maxRequests, OptionalLong.empty());
        }

        /** Returns these numbers with a burst of their own, for a token bucket. */
        public Numbers withBurst(long burst) {
            return new Numbers(maxRequests, OptionalLong.of(burst));
        }
    }
}
