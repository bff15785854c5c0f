package io.ratelimit.spring.internal.operate;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.docs.ObservationDocumentation;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Decision.Source;
import io.ratelimit.DecisionListener;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.operate.ObservedDecisions.RateLimiterObservation.TraceKey;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.DecisionOutcome;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.Tag;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Observes each decision, for traces. An observation that fails does not fail the decision. Thread-safe. */
public final class ObservedDecisions implements DecisionListener {

    private final ObservationRegistry registry;
    private final Warning failure = new Warning(MessageCode.OBSERVATION_FAILED);

    public ObservedDecisions(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void onDecision(Acquisition acquisition, Decision decision) {
        // ends with the call
    }

    @Override
    public Began onCall(Acquisition acquisition) {
        Observation observation = start(acquisition);
        return (decision, undecided) -> stop(observation, decision, undecided);
    }

    private Observation start(Acquisition acquisition) {
        try {
            Observation observation = Observation.createNotStarted(RateLimiterObservation.DECISION.getName(), registry);
            if (observation.isNoop()) {
                return observation;
            }
            return observation
                    .contextualName(RateLimiterObservation.DECISION.getContextualName())
                    .highCardinalityKeyValue(
                            TraceKey.LIMITS.asString(),
                            acquisition.charges().stream()
                                    .map(charge -> charge.limit().name())
                                    .collect(Collectors.joining(",")))
                    .start();
        } catch (Throwable failed) {
            warn(failed);
            return Observation.NOOP;
        }
    }

    private void stop(Observation observation, @Nullable Decision decision, @Nullable Throwable undecided) {
        try {
            observation
                    .lowCardinalityKeyValue(
                            Tag.OUTCOME.asString(),
                            RateLimiterMeter.tagValue(
                                    decision == null ? DecisionOutcome.ERROR : DecisionOutcome.of(decision)))
                    .lowCardinalityKeyValue(
                            Tag.SOURCE.asString(),
                            RateLimiterMeter.tagValue(decision == null ? Source.NONE : decision.source()));
            if (undecided != null) {
                observation.error(undecided);
            }
            observation.stop();
        } catch (Throwable failed) {
            warn(failed);
        }
    }

    private void warn(Throwable failed) {
        if (failed instanceof VirtualMachineError fatal) {
            throw fatal;
        }
        failure.logOnce(
                "An observation of a decision failed with {}; the decision stands",
                failed.getClass().getName()); // without the message, which may quote a subject
    }

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
}
