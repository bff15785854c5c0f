package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.Limits;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The configured limits, which change as a whole. Unused where the application has limits of its own. Thread-safe. */
final class LiveLimits implements Supplier<Limits> {

    private static final Limits NONE = new Limits(List.of());

    private volatile @Nullable Limits inForce;

    boolean isUsed() {
        return inForce != null;
    }

    @Override
    public Limits get() {
        Limits limits = inForce;
        return limits == null ? NONE : limits;
    }

    void replaceBy(Limits limits) {
        inForce = limits;
    }
}
