package io.ratelimit.spring.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/** The meters and their tags. The table in {@code docs/metrics.md} is generated from here. */
public enum RateLimiterMeter implements MeterDocumentation {

    /** One count for each limit that took part in a decision. */
    DECISIONS(
            "rate.limiter.decisions",
            Meter.Type.COUNTER,
            "Decisions of each limit. A limit that would have admitted a call which another one refused is not counted."),

    /** Admitted calls after which little is left. */
    NEAR_LIMIT(
            "rate.limiter.near.limit",
            Meter.Type.COUNTER,
            "Admitted calls after which at least rate-limiter.warn-at percent of the limit's capacity are used.");

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
            case DECISIONS -> new KeyName[] {Tag.LIMIT, Tag.OUTCOME, Tag.SOURCE};
            case NEAR_LIMIT -> new KeyName[] {Tag.LIMIT};
        };
    }

    /** Returns what the meter counts, in one sentence. */
    public String description() {
        return description;
    }

    /** The tags. None of them ever holds a subject. */
    public enum Tag implements KeyName {
        LIMIT("name of the limit; `other` for all names after the first 1,000"),
        OUTCOME("`allowed`, `refused`, `would-refuse` (with report-only), `error` (no decision)"),
        SOURCE("`store`, `local` (this process, while the store fails), `none` (nobody: policy `open`, or an error)");

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
}
