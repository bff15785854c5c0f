package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.Warning;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.MessageFormatter;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.function.SingletonSupplier;

/** A call to be limited: the web request it came with, if any, and what its expressions see. Thread-safe. */
public final class Call {

    private final @Nullable RequestView request;
    private final Supplier<EvaluationContext> source;
    private final SingletonSupplier<EvaluationContext> variables;
    private final Function<String, @Nullable String> path;
    private final @Nullable Consumer<String> notes;

    /** Creates a call of no route. */
    public Call(@Nullable RequestView request, Supplier<EvaluationContext> variables) {
        this(request, variables, name -> null);
    }

    /**
     * Creates a call.
     *
     * @param variables called only if an expression is evaluated: once before the call, and once when it has ended
     * @param path returns the path variable of that name, of the pattern that has matched
     */
    public Call(
            @Nullable RequestView request,
            Supplier<EvaluationContext> variables,
            Function<String, @Nullable String> path) {
        this(request, variables, path, null);
    }

    private Call(
            @Nullable RequestView request,
            Supplier<EvaluationContext> variables,
            Function<String, @Nullable String> path,
            @Nullable Consumer<String> notes) {
        this.request = request;
        this.source = variables;
        this.variables = SingletonSupplier.of(variables);
        this.path = path;
        this.notes = notes;
    }

    /**
     * Creates a call that is not made, to explain how it would be answered.
     *
     * @param notes receives what a call would warn of
     */
    public static Call explained(
            RequestView request,
            Supplier<EvaluationContext> variables,
            Function<String, @Nullable String> path,
            Consumer<String> notes) {
        return new Call(request, variables, path, notes);
    }

    /**
     * Logs at WARN the first time that the call is not what a rule expects. A call that is only explained logs nothing, so
     * that the warning is left to the first real one.
     */
    public void warn(Warning warning, String message, @Nullable Object... arguments) {
        if (notes == null) {
            warning.logOnce(message, arguments);
        } else {
            explain(message, arguments);
        }
    }

    boolean isExplained() {
        return notes != null;
    }

    /** Notes a reason of the answer, if the call is only explained. */
    void explain(String message, @Nullable Object... arguments) {
        if (notes != null) {
            notes.accept(MessageFormatter.arrayFormat(message, arguments).getMessage());
        }
    }

    public @Nullable RequestView request() {
        return request;
    }

    /** Returns the variable of that name in the path of the route that matches; null if there is none. */
    @Nullable
    String pathVariable(String name) {
        return path.apply(name);
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
