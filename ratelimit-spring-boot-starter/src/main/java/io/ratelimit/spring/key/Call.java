package io.ratelimit.spring.key;

import io.ratelimit.spring.RequestView;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.function.SingletonSupplier;

/** A call to be limited: the web request it came with, if any, and what its expressions see. Thread-safe. */
public final class Call {

    private final @Nullable RequestView request;
    private final Supplier<EvaluationContext> source;
    private final SingletonSupplier<EvaluationContext> variables;

    /** @param variables called only if an expression is evaluated: once before the call, and once when it has ended */
    public Call(@Nullable RequestView request, Supplier<EvaluationContext> variables) {
        this.request = request;
        this.source = variables;
        this.variables = SingletonSupplier.of(variables);
    }

    public @Nullable RequestView request() {
        return request;
    }

    public EvaluationContext variables() {
        return variables.obtain();
    }

    /** The same when the call has ended, with its {@code #result}. Not shared: a method may be subscribed to twice. */
    public EvaluationContext variablesAtEnd(@Nullable Object result) {
        EvaluationContext atEnd = source.get();
        atEnd.setVariable("result", result);
        return atEnd;
    }
}
