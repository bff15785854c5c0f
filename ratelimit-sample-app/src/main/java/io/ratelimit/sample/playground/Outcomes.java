package io.ratelimit.sample.playground;

import io.ratelimit.Decision;
import io.ratelimit.StoreUnavailableException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What became of requests that arrived together, in their order. */
record Outcomes(List<Outcome> all) {

    /** A decision, or the failure of policy {@code closed} while the store does not answer. */
    private record Outcome(
            @Nullable Decision decision, @Nullable StoreUnavailableException failure) {

        static Outcome of(CompletionStage<Decision> stage) {
            try {
                return new Outcome(stage.toCompletableFuture().join(), null);
            } catch (CompletionException failed) {
                if (failed.getCause() instanceof StoreUnavailableException unavailable) {
                    return new Outcome(null, unavailable);
                }
                throw failed;
            }
        }

        /** An item of a list of RFC 9651. */
        String item() {
            if (decision == null) {
                return "failed";
            }
            String item = decision.allowed() ? "allowed" : "refused";
            if (!decision.limits().isEmpty()) {
                item += ";r=" + decision.remaining();
            }
            if (!decision.allowed()) {
                item += ";t="
                        + TimeUnit.NANOSECONDS.toMicros(decision.retryAfter().toNanos());
            }
            return item + ";by=" + decision.source().name().toLowerCase(Locale.ROOT);
        }
    }

    static Outcomes await(List<CompletionStage<Decision>> stages) {
        return new Outcomes(stages.stream().map(Outcome::of).toList());
    }

    /**
     * Returns the decision about the last request.
     *
     * @throws StoreUnavailableException if it was not decided
     */
    Decision last() {
        Outcome last = all.get(all.size() - 1);
        if (last.decision == null) {
            throw Objects.requireNonNull(last.failure);
        }
        return last.decision;
    }

    /** Returns when the last request was decided; now, if no store decided it. */
    long decidedAtMicros(StoreClock clock) {
        Decision last = all.get(all.size() - 1).decision;
        return last == null || last.limits().isEmpty() ? clock.nowMicros() : StoreClock.micros(last);
    }

    /**
     * Returns each outcome with what remained after it and, if it is a refusal, the µs until the same request would be
     * allowed: {@code allowed;r=0;by=store, refused;r=0;t=7950000;by=store}.
     */
    String header() {
        return all.stream().map(Outcome::item).collect(Collectors.joining(", "));
    }
}
