package io.ratelimit.internal.numbers;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitProvider.Numbers;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the numbers that a limit has for one subject. Thread-safe.
 *
 * <p>One look-up is under way at a time, so a provider that hangs holds one thread for a subject. Its first answer completes
 * {@link #first()}, numbers or not. So does the answer to a subject that comes back when its numbers are old: they are used
 * longer only while look-ups fail.
 */
final class ProvidedNumbers {

    private static final CompletableFuture<Void> KNOWN = CompletableFuture.completedFuture(null);

    /** Numbers are looked up again this long before they are old. */
    static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private volatile CompletableFuture<Void> first = new CompletableFuture<>();
    private volatile boolean lookedUp;
    private volatile boolean failing;
    private volatile long dueNanos;
    private volatile @Nullable Numbers numbers;
    private volatile @Nullable Used used;

    /** The limit that was made last of the numbers, so that not every call makes it. */
    private record Used(Limit own, Numbers numbers, Limit provided) {}

    /** Creates an entry of which nothing is known. */
    ProvidedNumbers(long nowNanos) {
        this.dueNanos = nowNanos;
    }

    /** Returns true, once, if it is time for a look-up and none is under way. */
    boolean beginLookUp(long nowNanos) {
        return nowNanos - dueNanos >= 0 && begins(nowNanos);
    }

    private synchronized boolean begins(long nowNanos) {
        if (lookedUp || nowNanos - dueNanos < 0) {
            return false;
        }
        lookedUp = true;
        if (!failing && nowNanos - dueNanos >= AHEAD_NANOS && first.isDone()) {
            first = new CompletableFuture<>();
        }
        return true;
    }

    /** Takes over what was looked up. */
    void found(Optional<Numbers> found, long nextNanos) {
        numbers = found.orElse(null);
        ended(false, nextNanos);
    }

    /** Keeps what is known, of a look-up that has failed. */
    void failed(long nextNanos) {
        ended(true, nextNanos);
    }

    private void ended(boolean hasFailed, long nextNanos) {
        failing = hasFailed;
        dueNanos = nextNanos;
        mayBeLookedUp(); // before calls go on, one of which may be due
        awaitNoLonger();
    }

    /** Keeps what is known, of a look-up that has failed and may still be under way. */
    void overdue(long nextNanos) {
        failing = true;
        dueNanos = nextNanos;
        awaitNoLonger();
    }

    /** Lets the next look-up begin when it is time: none is under way. */
    void mayBeLookedUp() {
        lookedUp = false;
    }

    /** Returns what completes when it is first known whether there are numbers, or when calls wait no longer for that. */
    CompletableFuture<Void> first() {
        return first;
    }

    /** Lets all calls go on that wait, and those that come. */
    void awaitNoLonger() {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            awaited = first;
            first = KNOWN; // 100,000 subjects then share one
        }
        awaited.complete(null);
    }

    /** Returns the limit with the numbers that are known; the limit itself if there are none that it can have. */
    Limit of(Limit own) {
        Numbers known = numbers;
        if (known == null) {
            return own;
        }
        Used last = used;
        if (last != null && last.numbers().equals(known) && last.own().equals(own)) {
            return last.provided();
        }
        Used made = new Used(own, known, usable(own, known));
        used = made;
        return made.provided();
    }

    private static Limit usable(Limit own, Numbers numbers) {
        try {
            return checked(own, numbers);
        } catch (IllegalArgumentException ofAnotherPlan) {
            return own;
        }
    }

    /**
     * Returns the limit with the numbers.
     *
     * @throws IllegalArgumentException if it cannot have them
     */
    static Limit checked(Limit own, Numbers numbers) {
        long most = numbers.maxRequests();
        return own.withPlan(LimitProvider.PLAN, most, numbers.burst().orElseGet(() -> OtherNumbers.burst(own, most)));
    }
}
