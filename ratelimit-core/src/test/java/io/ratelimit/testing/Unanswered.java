package io.ratelimit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssertAlternative;

/** A call that the store does not answer. */
public final class Unanswered {

    private static final Duration OVER_TIMEOUT = Duration.ofMillis(50);

    private Unanswered() {}

    /** It fails within its timeout and little more, not counting what the host took away meanwhile; with what is answered. */
    public static ThrowableAssertAlternative<?> assertToldInTime(
            Duration timeout, Supplier<? extends CompletionStage<?>> call) {
        StolenTime stolen = StolenTime.fromNowOn();
        long startNanos = System.nanoTime();
        ThrowableAssertAlternative<?> failure = assertThat(call.get().toCompletableFuture())
                .failsWithin(5, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        assertThat(took.minus(stolen.soFar())).isLessThanOrEqualTo(timeout.plus(OVER_TIMEOUT));
        return failure;
    }
}
