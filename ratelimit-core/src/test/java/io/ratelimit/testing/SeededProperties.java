package io.ratelimit.testing;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutionResult.Status;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives jqwik's properties the seeds that {@link SeededRandom} gives other random tests: first those that are kept, then that
 * of the run. The stream is named {@code Class.method}.
 */
public final class SeededProperties implements AroundPropertyHook {

    @Override
    public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property) {
        String stream = context.containerClass().getSimpleName() + "."
                + context.targetMethod().getName();
        for (long kept : KeptSeeds.of(stream)) {
            PropertyExecutionResult again = execute(context, property, kept);
            if (again.status() != Status.SUCCESSFUL) {
                return again;
            }
        }
        PropertyExecutionResult result = execute(context, property, SeededRandom.seedOf(stream));
        if (result.status() == Status.FAILED) {
            KeptSeeds.keep(stream, SeededRandom.seedOf(stream));
        }
        return result;
    }

    /** To every property, because the hook is registered as a service. */
    @Override
    public PropagationMode propagateTo() {
        return PropagationMode.ALL_DESCENDANTS;
    }

    private static PropertyExecutionResult execute(
            PropertyLifecycleContext context, PropertyExecutor property, long seed) {
        context.attributes().setSeed(Long.toString(seed));
        return property.execute();
    }
}
