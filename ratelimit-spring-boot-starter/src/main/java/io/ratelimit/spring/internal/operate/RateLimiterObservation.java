package io.ratelimit.spring.internal.operate;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations and their keys. The table in {@code docs/metrics.md} is generated from here. */
enum RateLimiterObservation implements ObservationDocumentation {

    /** One decision, which may be about several limits. */
    DECISION;

    @Override
    public String getName() {
        return "rate.limiter.decision";
    }

    @Override
    public String getContextualName() {
        return "rate limit";
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return new KeyName[] {RateLimiterMeter.Tag.OUTCOME, RateLimiterMeter.Tag.SOURCE};
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return new KeyName[] {TraceKey.LIMITS};
    }

    /** Keys that appear in traces and not in meters. */
    public enum TraceKey implements KeyName {
        LIMITS;

        @Override
        public String asString() {
            return "limits";
        }
    }
}
