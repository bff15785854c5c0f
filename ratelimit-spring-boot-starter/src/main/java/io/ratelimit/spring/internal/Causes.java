package io.ratelimit.spring.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The causes of a failure. */
public final class Causes {

    private Causes() {}

    /** Returns the failure and its causes, each once, because an exception may be a cause of its own cause; empty for null. */
    public static List<Throwable> of(@Nullable Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = failure; cause != null && seen.add(cause); cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }

    /** Returns the first of them that is of that type. */
    public static <T extends Throwable> Optional<T> of(Throwable failure, Class<T> type) {
        return of(failure).stream().filter(type::isInstance).map(type::cast).findFirst();
    }
}
