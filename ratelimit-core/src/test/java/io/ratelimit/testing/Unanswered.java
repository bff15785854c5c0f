package io.ratelimit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.StoreUnavailableException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssertAlternative;

/** A call that the store does not answer. */
public final class Unanswered {

    private Unanswered() {}

    /** It fails long before the client gives it up, which is after a minute; with what is answered. */
    public static ThrowableAssertAlternative<?> assertTold(CompletionStage<?> call) {
        return assertThat(call.toCompletableFuture())
                .failsWithin(50, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }
}
