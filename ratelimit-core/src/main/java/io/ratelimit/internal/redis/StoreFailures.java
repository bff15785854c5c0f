package io.ratelimit.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;

/** Creates and classifies the failures of calls that get no decision. */
final class StoreFailures {

    /**
     * Errors by which Redis says that it has executed nothing now and may later. Until Redis 7 those of a script stand within
     * another message. A script gets them at its first write or not at all. A right that is missing counts if it is that to run
     * scripts, or for their keys, and not that to a command within one.
     */
    private static final Pattern NOT_NOW =
            Pattern.compile("\\b(READONLY|OOM|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|BUSY|NOAUTH|MOVED|ASK) "
                    + "|^NOPERM (?!.*\\bscript\\b)(.*'(eval|evalsha)' command|.*\\bkeys?\\b)");

    private static final Pattern REPLICA = Pattern.compile("\\b(READONLY|MASTERDOWN) ");

    private static final Pattern NO_MASTER = Pattern.compile("\\b(READONLY|MASTERDOWN|CLUSTERDOWN|LOADING) ");

    private StoreFailures() {}

    static StoreUnavailableException notInTime(Duration timeout) {
        return new StoreUnavailableException("Redis did not answer within %d ms".formatted(timeout.toMillis()));
    }

    static StoreUnavailableException closed() {
        return new StoreUnavailableException("the limiter is closed");
    }

    static RuntimeException lost() {
        return new Lost();
    }

    /** Returns whether the connection was lost on which the request was sent, so that Redis may have decided it. */
    static boolean isLost(Throwable failure) {
        return Stages.unwrap(failure) instanceof Lost;
    }

    static StoreUnavailableException paused() {
        return new StoreUnavailableException(
                "Redis does not answer: calls are paused for a moment, then one tries again");
    }

    /** Returns the failure as a {@link StoreUnavailableException}. */
    static StoreUnavailableException of(Throwable failure) {
        Throwable unwrapped = Stages.unwrap(failure);
        Throwable cause =
                unwrapped instanceof Unsent && unwrapped.getCause() != null ? unwrapped.getCause() : unwrapped;
        if (cause instanceof Lost) {
            return new StoreUnavailableException(Lost.MESSAGE);
        }
        if (cause instanceof StoreUnavailableException known) {
            return known;
        }
        String message = isReplica(cause)
                ? "Redis is a replica, which accepts no writes (%s): only Sentinel, a Cluster, a list of all nodes or a name that"
                        + " leads to the master lets the limiter find the master"
                : "Redis failed: %s";
        return new StoreUnavailableException(message.formatted(cause), cause);
    }

    /** Returns whether the failure is an error that Redis answered. */
    static boolean isAnswer(Throwable failure) {
        return Stages.unwrap(failure) instanceof RedisCommandExecutionException;
    }

    /** Returns whether Redis answered that it is a replica. */
    static boolean isReplica(Throwable failure) {
        return isAnswer(failure) && contains(REPLICA, failure);
    }

    /** Returns whether Redis answered that it is no master that serves now, so that another node may be. */
    static boolean isNoMaster(Throwable failure) {
        return isAnswer(failure) && contains(NO_MASTER, failure);
    }

    /** Returns whether Redis answered that it has executed nothing, for a reason that passes. */
    static boolean isNotNow(Throwable failure) {
        return isAnswer(failure) && contains(NOT_NOW, failure);
    }

    private static boolean contains(Pattern words, Throwable failure) {
        return words.matcher(String.valueOf(Stages.unwrap(failure).getMessage()))
                .find();
    }

    /**
     * Returns whether what failed is the connection, or its client, so that nothing is known of a request that was sent. Lettuce
     * cancels what a connection that is closed has not been answered.
     */
    static boolean isOfConnection(Throwable failure) {
        Throwable cause = Stages.unwrap(failure);
        return cause instanceof IOException
                || cause instanceof CancellationException
                || (cause instanceof RedisException && !isAnswer(cause));
    }

    /** Returns whether the request was never sent, so that Redis has not decided it. */
    static boolean isUnsent(Throwable failure) {
        return Stages.unwrap(failure) instanceof Unsent;
    }

    /** A failure of what was not sent, or that Redis has answered by an error before. */
    static final class Unsent extends RuntimeException {

        private static final long serialVersionUID = 1;

        Unsent(Throwable cause) {
            super(cause.getMessage(), cause, true, false);
        }
    }

    /** A failure of what was sent and not answered before the connection was lost. */
    private static final class Lost extends RuntimeException {

        private static final long serialVersionUID = 1;
        private static final String MESSAGE = "the connection to Redis was lost";

        Lost() {
            super(MESSAGE, null, true, false);
        }
    }

    /** Returns whether a Cluster is moving the slot and only some of the keys have arrived at this node. */
    static boolean isTryAgain(Throwable failure) {
        String message = Stages.unwrap(failure).getMessage();
        return isAnswer(failure) && message != null && message.startsWith("TRYAGAIN");
    }
}
