package io.ratelimit.spring.internal.operate;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.util.Locale;

/** The meters and their tags. The table in {@code docs/metrics.md} is generated from here. */
enum RateLimiterMeter implements MeterDocumentation {

    /** One count for each limit that took part in a decision. */
    DECISIONS(
            "rate.limiter.decisions",
            Meter.Type.COUNTER,
            "Decisions of each limit. A limit that would have admitted a call which another one refused is not"
                    + " counted."),

    /** Admitted calls after which little is left. */
    NEAR_LIMIT(
            "rate.limiter.near.limit",
            Meter.Type.COUNTER,
            "Admitted calls after which at least rate-limiter.warn-at percent of the limit's capacity are used."),

    /** Refused calls of banned subjects. */
    BANNED(
            "rate.limiter.banned",
            Meter.Type.COUNTER,
            "Refused calls of subjects that the limit has banned. They are among its refused decisions, too."),

    /** Calls that are counted otherwise than configured. */
    UNRESOLVED(
            "rate.limiter.unresolved",
            Meter.Type.COUNTER,
            "Calls that are counted otherwise than configured, because what they cost, the element that they are about, or"
                    + " their plan is not known, or because the store failed when they ended."),

    /** Look-ups of a provider. */
    LOOKUPS(
            "rate.limiter.lookups",
            Meter.Type.COUNTER,
            "Look-ups of numbers of a limit for a subject, by the application's LimitProvider."),

    /** Requests that deny lists. */
    DENIED("rate.limiter.denied", Meter.Type.COUNTER, "Requests that deny lists, answered with 403."),

    /** Calls that allow frees of limits. */
    ALLOWED(
            "rate.limiter.allowed",
            Meter.Type.COUNTER,
            "Calls that allow lists, one for each route or annotation that does not limit them."),

    /** Time of calls that may wait. */
    WAIT(
            "rate.limiter.wait",
            Meter.Type.TIMER,
            "Time from the call to its decision of calls with a maxWait, for each of their limits."),

    /** Time of a batch of calls from sending it to its reply. */
    STORE("rate.limiter.store", Meter.Type.TIMER, "Round trips to Redis, each of which carries a batch of calls."),

    /** Size of a batch. */
    STORE_BATCH(
            "rate.limiter.store.batch",
            Meter.Type.DISTRIBUTION_SUMMARY,
            "Calls, and keys in Redis that they concern, in one round trip."),

    /** State of the circuit breakers. */
    STORE_BREAKER(
            "rate.limiter.store.breaker",
            Meter.Type.GAUGE,
            "Redis nodes whose circuit breaker is in the state. An open breaker stays open until a call tries the node"
                    + " again."),

    /** Size of the store in memory. */
    SUBJECTS(
            "rate.limiter.subjects",
            Meter.Type.GAUGE,
            "Subjects of all limits counted in this process's memory; on Redis what was counted while it failed, or blocked, capped or banned here."),

    /** Quota taken in advance. */
    LEASES("rate.limiter.leases", Meter.Type.GAUGE, "Subjects that this instance holds a lease for."),

    /** Refusals that cost Redis nothing. */
    REFUSALS(
            "rate.limiter.refusals.remembered",
            Meter.Type.GAUGE,
            "Refusals that are repeated without asking Redis, for a second at most."),

    /** Calls that wait for quota. */
    WAITING("rate.limiter.waiting", Meter.Type.GAUGE, "Calls of this instance that wait until they fit.");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    RateLimiterMeter(String meterName, Meter.Type type, String description) {
        this.meterName = meterName;
        this.type = type;
        this.description = description;
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public KeyName[] getKeyNames() {
        return switch (this) {
            case DECISIONS -> new KeyName[] {Tag.LIMIT, Tag.OUTCOME, Tag.SOURCE, Tag.PLAN};
            case WAIT, LOOKUPS -> new KeyName[] {Tag.LIMIT, Tag.OUTCOME};
            case NEAR_LIMIT, BANNED -> new KeyName[] {Tag.LIMIT};
            case UNRESOLVED -> new KeyName[] {Tag.LIMIT, Tag.REASON};
            case STORE -> new KeyName[] {Tag.OUTCOME};
            case STORE_BATCH -> new KeyName[] {Tag.COUNTED};
            case STORE_BREAKER -> new KeyName[] {Tag.STATE};
            case DENIED, ALLOWED, SUBJECTS, LEASES, REFUSALS, WAITING -> new KeyName[0];
        };
    }

    /** Returns what the meter counts, in one sentence. */
    String description() {
        return description;
    }

    /** Returns a constant as tags and documents write it, such as {@code would-refuse}. */
    static String tagValue(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The tags. None of them ever holds a subject. */
    enum Tag implements KeyName {
        LIMIT("name of the limit; `other` for all names after the first 1,000"),
        OUTCOME(
                "of a decision: `allowed`, `refused`, `would-refuse` (by a limit that only reports), `error` (no decision);"
                        + " of a round trip: `answered`, `error` (an error that Redis answered), `unanswered` (in time);"
                        + " of a look-up: `found`, `none` (the limit's own numbers apply), `failed`"),
        SOURCE("`store`, `local` (this process, while the store fails), `none` (nobody: policy `open`, or an error)"),
        REASON(
                "`actual-cost` (none, or no number of at least 0: the estimate stays charged), `store` (which failed at the end"
                        + " of a call: its correction is made later if the store is there again within ten minutes; else the same,"
                        + " and a slot is free after the window), `element` (none: the address is counted; several of one subject: the first is counted), `plan` (none, or one that is not configured: the"
                        + " limit's own numbers apply)"),
        PLAN(
                "name of the [plan](how-to/plans.md) whose numbers the limit had; `none` for its own, `provider` for those of a [LimitProvider](how-to/provider.md)"),
        COUNTED("`calls`, `keys`"),
        STATE("`closed`, `open`, `half-open`");

        private final String meaning;

        Tag(String meaning) {
            this.meaning = meaning;
        }

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns which values the tag has. */
        public String meaning() {
            return meaning;
        }
    }

    /** The outcome of a decision, as meters and observations name it. */
    enum DecisionOutcome {
        ALLOWED,
        REFUSED,
        /** Refused by a limit that only reports, so that the call is let through. */
        WOULD_REFUSE,
        /** There is no decision. */
        ERROR;

        static DecisionOutcome of(Decision decision) {
            if (!decision.allowed()) {
                return REFUSED;
            }
            return decision.limits().stream().anyMatch(LimitStatus::refuses)
                            || !decision.exceeded().isEmpty()
                    ? WOULD_REFUSE
                    : ALLOWED;
        }
    }
}
