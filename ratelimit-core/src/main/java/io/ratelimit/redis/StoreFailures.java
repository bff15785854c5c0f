package io.ratelimit.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import java.time.Duration;

/** The reasons for which calls get no decision. */
final class StoreFailures {

    private StoreFailures() {}

    static StoreUnavailableException notInTime(Duration timeout) {
        return new StoreUnavailableException("Redis did not answer within %d ms".formatted(timeout.toMillis()));
    }

    static StoreUnavailableException closed() {
        return new StoreUnavailableException("the limiter is closed");
    }

    static StoreUnavailableException paused() {
        return new StoreUnavailableException("Redis keeps failing to answer and is asked again in a moment");
    }

    /** Wraps what ended a call of Redis, unless it is wrapped already. */
    static StoreUnavailableException of(Throwable failure) {
        Throwable cause = Stages.unwrap(failure);
        return cause instanceof StoreUnavailableException known
                ? known
                : new StoreUnavailableException("Redis failed: %s".formatted(cause), cause);
    }

    /** Whether Redis answered, with an error. */
    static boolean isAnswer(Throwable failure) {
        return Stages.unwrap(failure) instanceof RedisCommandExecutionException;
    }

    /** Whether a Cluster moves the slot to another node, and only some of the keys are there. */
    static boolean isTryAgain(Throwable failure) {
        String message = Stages.unwrap(failure).getMessage();
        return isAnswer(failure) && message != null && message.startsWith("TRYAGAIN");
    }
}
