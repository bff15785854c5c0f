package io.ratelimit.internal.layer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.internal.call.SubjectChange;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Remembers refusals, so that a subject that is refused repeatedly costs the store one call a second at most. A refusal
 * is repeated for the same call until the first limit that refuses would admit it or ends its ban, for a second at most. A
 * reset, settlement or charge made here takes effect at once, one made by another process within that second.
 *
 * <p>Three kinds of refusals are not remembered: those decided without the store, because they end with the outage;
 * those of {@link io.ratelimit.Algorithm#CONCURRENCY}, because they end when any call ends; and those that lead to a
 * ban, because the store counts them. A ban is remembered, and so are refusals of a limit whose ban counts failures.
 * Thread-safe.
 *
 * <p>Example: a call that is refused with a {@code retryAfter} of 40 s is decided by the store once a second until
 * then.
 *
 * <p>A call of another cost goes to the store, because its {@code retryAfter} differs. A refusal expires counted from
 * before the store was called, and its times count down from after the store answered. So no call is refused that the
 * store would admit, and no {@code retryAfter} is too short.
 */
public final class RememberedRefusals extends Layer {

    private static final Duration LONGEST = Duration.ofSeconds(1);

    /**
     * About 10,000 refusals of short subjects. Bounded by characters, because clients may choose subjects of any
     * length.
     */
    private static final long MOST_CHARACTERS = 1_000_000;

    private static final int CHARACTERS_BESIDE_SUBJECTS = 60;

    private final Ticker ticker;
    private final Cache<List<Charge>, CachedRefusal> refusals;

    /**
     * When a state, with its subject shortened, was last settled, reset or, after a refusal, charged here. Earlier refusals of it are
     * ignored.
     */
    private final Cache<StateId, Long> forgottenNanos;

    /**
     * The same of limits that did not refuse, with the dearest call that is remembered: only a charge that leaves less than that counts,
     * because all may share such a limit.
     */
    private final Cache<StateId, Beside> beside;

    private record Beside(long cost, long scarceNanos) {}

    public RememberedRefusals(Layer next) {
        this(next, Ticker.systemTicker());
    }

    RememberedRefusals(Layer next, Ticker ticker) {
        super(next);
        this.ticker = ticker;
        this.refusals = Caffeine.newBuilder()
                .maximumWeight(MOST_CHARACTERS)
                .weigher((List<Charge> charges, CachedRefusal refusal) -> characters(charges))
                .expireAfterWrite(LONGEST)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
        Caffeine<Object, Object> asLong =
                Caffeine.newBuilder().expireAfterWrite(LONGEST).ticker(ticker).executor(Runnable::run);
        this.beside = asLong.build();
        this.forgottenNanos = asLong.build();
    }

    /** Returns how many refusals are remembered now. */
    public long remembered() {
        refusals.cleanUp();
        return refusals.estimatedSize();
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && decide.isCharging()) {
            long startNanos = ticker.read();
            decide.askedAt(startNanos);
            Decision refused = refused(decide.acquisition(), startNanos);
            if (refused != null) {
                answer(call, refused);
                return;
            }
        }
        passOn(call);
    }

    @Override
    protected void answered(Call call) {
        if (call instanceof Decide decide) {
            Decision decision = call.decision();
            if (decision != null && decide.isCharging()) {
                decided(decide, decision);
            }
        } else if (call.failure() == null) {
            forget(call);
        }
        back(call);
    }

    private void decided(Decide call, Decision decision) {
        if (decision.source() != Decision.Source.STORE) {
            return;
        }
        if (decision.allowed()) {
            forgetCharged(call.acquisition(), decision);
        } else if (mayBeRepeated(decision)) {
            remember(call.acquisition(), decision, call.askedNanos());
        }
    }

    /** A charge of another cost or plan postpones calls that were refused before. */
    private void forgetCharged(Acquisition charged, Decision decision) {
        if (refusals.estimatedSize() > 0) {
            long nowNanos = ticker.read();
            for (int i = 0; i < charged.charges().size(); i++) {
                Charge charge = charged.charges().get(i);
                StateId id = StateId.shortened(charge.limit(), charge.subject());
                long left = decision.limits().get(i).remaining();
                forgottenNanos.asMap().computeIfPresent(id, (refused, before) -> nowNanos);
                beside.asMap()
                        .computeIfPresent(
                                id, (limit, call) -> left < call.cost() ? new Beside(call.cost(), nowNanos) : call);
            }
        }
    }

    private void forget(Call call) {
        if (call instanceof Settle settle) {
            List<Charge> charges = settle.acquisition().charges();
            for (int i = 0; i < charges.size(); i++) {
                Charge charge = charges.get(i);
                forget(charge.limit(), charge.subject(), settle.actual(i) > charge.cost());
            }
        } else if (call instanceof SubjectChange change) {
            forget(change.limit(), change.subject(), true);
        }
    }

    private void forget(Limit limit, String subject, boolean leavesLess) {
        StateId id = StateId.shortened(limit, subject);
        long nowNanos = ticker.read();
        forgottenNanos.put(id, nowNanos);
        if (leavesLess) {
            beside.asMap().computeIfPresent(id, (key, call) -> new Beside(call.cost(), nowNanos));
        }
    }

    private @Nullable Decision refused(Acquisition acquisition, long nowNanos) {
        if (refusals.estimatedSize() == 0) {
            return null; // hashing the charges would cost time in every call
        }
        CachedRefusal refusal = refusals.getIfPresent(acquisition.charges());
        return refusal == null || nowNanos - refusal.untilNanos() >= 0 || isForgotten(acquisition, refusal)
                ? null
                : refusal.decisionAt(nowNanos);
    }

    /**
     * Returns true also for a refusal that was under way at the reset, because the store may have decided it before.
     */
    private boolean isForgotten(Acquisition acquisition, CachedRefusal refusal) {
        List<LimitStatus> statuses = refusal.decision().limits();
        for (int i = 0; i < statuses.size(); i++) {
            Charge charge = acquisition.charges().get(i);
            StateId id = StateId.shortened(charge.limit(), charge.subject());
            Long nanos = statuses.get(i).refuses() ? forgottenNanos.getIfPresent(id) : scarceNanos(id);
            if (nanos != null && refusal.startNanos() - nanos <= 0) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Long scarceNanos(StateId id) {
        Beside limit = beside.getIfPresent(id);
        return limit == null ? null : limit.scarceNanos();
    }

    /**
     * Returns false if the end of another call may free what was refused before the {@code retryAfter}, or if repeating
     * the call may begin a ban of a limit that refuses it, or would refuse it once others have taken more.
     */
    private static boolean mayBeRepeated(Decision decision) {
        boolean banned = decision.limits().stream().anyMatch(LimitStatus::banned);
        return decision.limits().stream()
                .allMatch(status -> status.refuses()
                        ? !status.limit().algorithm().isReleased() && (status.banned() || !isCounted(status))
                        : banned || !isCounted(status));
    }

    private static boolean isCounted(LimitStatus status) {
        return status.limit().ban().map(ban -> !ban.countsFailures()).orElse(false);
    }

    private void remember(Acquisition acquisition, Decision decision, long startNanos) {
        long untilNanos = startNanos + unchangedFor(decision).toNanos();
        for (int i = 0; i < acquisition.charges().size(); i++) { // so that a charge is seen to postpone it
            Charge charge = acquisition.charges().get(i);
            StateId id = StateId.shortened(charge.limit(), charge.subject());
            if (decision.limits().get(i).refuses()) {
                forgottenNanos.asMap().merge(id, startNanos - 1, (before, now) -> before);
            } else {
                beside.asMap()
                        .merge(
                                id,
                                new Beside(charge.cost(), startNanos - 1),
                                (before, now) -> new Beside(Math.max(before.cost(), now.cost()), before.scarceNanos()));
            }
        }
        refusals.put(acquisition.charges(), new CachedRefusal(decision, startNanos, untilNanos, ticker.read()));
    }

    /**
     * Returns how long every limit answers as it did. A ban may end before its limit admits the call; from then on refusals
     * count for the next ban.
     */
    private static Duration unchangedFor(Decision refusal) {
        Duration shortest = LONGEST;
        for (LimitStatus status : refusal.refusing()) {
            shortest = Micros.shorter(shortest, status.banned() ? status.bannedFor() : status.retryAfter());
        }
        return shortest;
    }

    private static int characters(List<Charge> charges) {
        return CHARACTERS_BESIDE_SUBJECTS
                + charges.stream()
                        .mapToInt(charge -> charge.subject().length()
                                + charge.element().orElse("").length())
                        .sum();
    }
}
