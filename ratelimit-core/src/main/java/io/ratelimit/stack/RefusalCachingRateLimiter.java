package io.ratelimit.stack;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Remembers refusals, so that a subject that is refused again and again costs the store one call a second at most. A
 * refusal answers the same call until its {@code retryAfter}, and for a second at most: a reset or refund made by
 * another process is seen within that second, one made here at once. What was refused without the store is not
 * remembered: it ends with the outage. Thread-safe.
 *
 * <p>A call of another cost is asked anew, for its {@code retryAfter} is another. Times run from before the store was
 * asked where they decide, and from after it answered where they are told: so nobody is refused whom the store would
 * admit, and nobody is told to come back too early.
 */
final class RefusalCachingRateLimiter implements RateLimiter {

    private static final Duration LONGEST = Duration.ofSeconds(1);

    /** 10,000 denials of short subjects, fewer of long ones: who chooses a subject does not choose how much is kept. */
    private static final long MOST_CHARACTERS = 1_000_000;

    private static final int CHARACTERS_BESIDE_SUBJECTS = 60;

    private final RateLimiter store;
    private final Ticker ticker;
    private final Cache<List<Charge>, Denial> denials;

    /** How often any was forgotten: a refusal that was under way meanwhile may be one of those, and is not remembered. */
    private final AtomicLong forgotten = new AtomicLong();

    private record Denial(Decision decision, long untilNanos, long answeredNanos) {}

    RefusalCachingRateLimiter(RateLimiter store) {
        this(store, Ticker.systemTicker());
    }

    RefusalCachingRateLimiter(RateLimiter store, Ticker ticker) {
        this.store = store;
        this.ticker = ticker;
        this.denials = Caffeine.newBuilder()
                .maximumWeight(MOST_CHARACTERS)
                .weigher((List<Charge> charges, Denial denial) -> characters(charges))
                .expireAfterWrite(LONGEST)
                .ticker(ticker)
                .build();
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        long askedNanos = ticker.read();
        Decision known = denied(acquisition, askedNanos);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        long forgottenBefore = forgotten.get();
        return store.acquireAsync(acquisition).thenApply(decision -> {
            boolean refused = !decision.allowed() && decision.source() == Decision.Source.STORE;
            if (refused && forgotten.get() == forgottenBefore) {
                remember(acquisition, decision, askedNanos);
            }
            return decision;
        });
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return store.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return store.refundAsync(acquisition, decision)
                .thenAccept(done -> acquisition.charges().forEach(charge -> forget(charge.limit(), charge.subject())));
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return store.resetAsync(limit, subject).thenAccept(done -> forget(limit, subject));
    }

    private @Nullable Decision denied(Acquisition acquisition, long nowNanos) {
        Denial denial = denials.getIfPresent(acquisition.charges());
        if (denial == null || nowNanos - denial.untilNanos >= 0) {
            return null;
        }
        Duration since = Duration.ofNanos(Math.max(0, nowNanos - denial.answeredNanos));
        List<LimitStatus> later = denial.decision.limits().stream()
                .map(status -> after(since, status))
                .toList();
        return new Decision(
                false,
                later,
                denial.decision.source(),
                denial.decision.decidedAt().plus(since));
    }

    private void remember(Acquisition acquisition, Decision decision, long askedNanos) {
        Duration retryAfter = decision.retryAfter();
        long nanos = retryAfter.compareTo(LONGEST) < 0 ? retryAfter.toNanos() : LONGEST.toNanos();
        denials.put(acquisition.charges(), new Denial(decision, askedNanos + nanos, ticker.read()));
    }

    private void forget(Limit limit, String subject) {
        forgotten.incrementAndGet();
        denials.asMap().keySet().removeIf(charges -> charges.stream().anyMatch(charge -> charge.isOf(limit, subject)));
    }

    /** How a limit stands that much later; what refuses still does, for the whole decision does. */
    private static LimitStatus after(Duration since, LimitStatus status) {
        return new LimitStatus(
                status.limit(),
                status.remaining(),
                lessBy(since, status.retryAfter()),
                lessBy(since, status.resetAfter()));
    }

    private static int characters(List<Charge> charges) {
        return CHARACTERS_BESIDE_SUBJECTS
                + charges.stream().mapToInt(charge -> charge.subject().length()).sum();
    }

    private static Duration lessBy(Duration since, Duration time) {
        return time.compareTo(since) > 0 ? time.minus(since) : Duration.ZERO;
    }
}
