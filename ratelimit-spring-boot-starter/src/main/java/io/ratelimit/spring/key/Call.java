package io.ratelimit.spring.key;

import io.ratelimit.spring.RequestView;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.function.SingletonSupplier;

/** A call to be limited: the web request it came with, if any, and what its expressions see. Thread-safe. */
public final class Call {

    private final @Nullable RequestView request;
    private final SingletonSupplier<EvaluationContext> variables;

    /** @param variables called at most once, and only if an expression is evaluated */
    public Call(@Nullable RequestView request, Supplier<EvaluationContext> variables) {
        this.request = request;
        this.variables = SingletonSupplier.of(variables);
    }

    public @Nullable RequestView request() {
        return request;
    }

    public EvaluationContext variables() {
        return variables.obtain();
    }
}
