package io.ratelimit.lab;

import io.ratelimit.Algorithm;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A limiter that goes through the experiments. Immutable.
 *
 * @param variant which of the limiters of that class, in its own words
 * @param promise the algorithm whose answers it should give
 * @param setting how it is set up, and why so
 * @param lacks what it cannot do, and why
 */
record Contender(
        String name,
        Class<? extends Limiter> limiter,
        String variant,
        Algorithm promise,
        String setting,
        Map<Need, String> lacks) {

    /** Why it cannot do the experiment, if it cannot. */
    Optional<String> cannot(Experiment experiment) {
        if (lease() > experiment.rate().limit()) {
            return Optional.of("a lease is at most the limit");
        }
        return experiment.needs().stream()
                .filter(lacks::containsKey)
                .map(lacks::get)
                .map(Objects::requireNonNull)
                .findFirst();
    }

    /** How many calls it may hold of what was charged before, in each instance. */
    long lease() {
        return variant.contains("lease=") ? Long.parseLong(variant.substring(variant.indexOf('=') + 1)) : 0;
    }

    /** What it may admit in a window, wherever that begins, by its own documentation. */
    long mostInAnyWindow(Experiment experiment) {
        long limit = experiment.rate().limit();
        long charged = switch (promise) {
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, TOKEN_BUCKET -> 2 * limit;
            default -> limit;
        };
        return charged + lease() * experiment.instances() + experiment.underestimated();
    }

    /** Starts an instance, whose clock is wrong by so much. */
    Limiter open(Setup setup, ClockError clockError) {
        Class<? extends Limiter> type =
                clockError.equals(ClockError.NONE) ? limiter : InstanceLoader.load(limiter, clockError);
        try {
            return type.getConstructor(Setup.class).newInstance(setup);
        } catch (InvocationTargetException failed) {
            throw new IllegalStateException("'%s' does not start".formatted(name), failed.getCause());
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException("'%s' cannot be created".formatted(name), failed);
        }
    }
}
