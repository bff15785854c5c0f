package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObservationTest {

    private static final Acquisition ALICE =
            Acquisition.of(Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofHours(1)), "alice");

    private final List<String> stopped = new ArrayList<>();

    @Test
    void decisionsAreObservedOnlyIfAskedFor() {
        Contexts.plain().withBean(ObservationRegistry.class, this::recording).run(context -> {
            context.getBean(RateLimiter.class).acquire(ALICE);
            assertThat(stopped).isEmpty();
        });
        Contexts.plain()
                .withBean(ObservationRegistry.class, this::recording)
                .withPropertyValues("rate-limiter.observations=true")
                .run(context -> {
                    context.getBean(RateLimiter.class).acquire(ALICE);
                    assertThat(stopped).containsExactly("rate.limiter.decision");
                });
    }

    @Test
    void withoutARegistryTheStartFailsAndSaysWhatToAdd() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.observations=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidRateLimitException.class)
                        .hasMessageContaining("rate-limiter.observations: 'true' needs one ObservationRegistry")
                        .hasMessageContaining("spring-boot-starter-actuator"));
    }

    private ObservationRegistry recording() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context.getName());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }
}
