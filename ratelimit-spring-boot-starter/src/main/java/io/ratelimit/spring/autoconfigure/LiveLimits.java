package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.Limits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configured limits, which change as a whole. Unused where the application has limits of its own. Not a {@code Supplier}, which Spring
 * Cloud Function would take for a function of the application. Thread-safe.
 */
final class LiveLimits {

    private static final Limits NONE = new Limits(List.of());

    private volatile @Nullable Limits inForce;

    boolean isUsed() {
        return inForce != null;
    }

    Limits get() {
        Limits limits = inForce;
        return limits == null ? NONE : limits;
    }

    void replaceBy(Limits limits) {
        inForce = limits;
    }
}
