package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.PlanResolver;
import io.ratelimit.spring.internal.Warning;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ObjectUtils;

/** A parsed {@code plan}, which names the plan of a call. Thread-safe. */
public final class Plan {

    /** What a client can choose. */
    private static final Pattern OF_CLIENT = Pattern.compile("\\b(header|getHeader|cookie|param|getParameter)\\s*\\(");

    private final String text;
    private final boolean needsPrincipal;
    private final Function<Call, @Nullable String> value;
    private final String where;
    private final Warning unknown = new Warning(MessageCode.PLAN_UNKNOWN);

    private Plan(String text, boolean needsPrincipal, Function<Call, @Nullable String> value, String where) {
        this.text = text;
        this.needsPrincipal = needsPrincipal;
        this.value = value;
        this.where = where;
    }

    /**
     * Parses a plan.
     *
     * @param where the property or annotated method that holds it
     * @param method whose arguments an expression may name
     * @throws InvalidRateLimitException if it is neither an expression nor the name of a {@link PlanResolver} bean
     */
    static Plan parse(
            String text, String where, @Nullable Method method, Expressions expressions, ListableBeanFactory beans) {
        if (SubjectKeyParser.isExpression(text)) {
            SpelExpression expression = expressions.parse(text, where, method);
            return new Plan(
                    text,
                    Expressions.needsPrincipal(text),
                    call -> {
                        Object named = ObjectUtils.unwrapOptional(expression.getValue(call.variables()));
                        return named == null ? null : named.toString();
                    },
                    where);
        }
        if (!beans.containsBean(text) || !beans.isTypeMatch(text, PlanResolver.class)) {
            throw new InvalidRateLimitException(
                    MessageCode.PLAN_INVALID,
                    where,
                    ("plan '%s' is unknown: write the name of a PlanResolver bean, or an expression that starts with #, @"
                                    + " or ', such as #principal.claims['plan']")
                            .formatted(text));
        }
        PlanResolver resolver = beans.getBean(text, PlanResolver.class);
        return new Plan(
                text,
                SubjectKeyParser.needsPrincipal(resolver::needsPrincipal),
                call -> call.request() == null ? null : resolver.resolve(call.request()),
                where);
    }

    /** Returns the plan as it was written. */
    public String text() {
        return text;
    }

    /** Returns the route or annotated method that has the plan, or the property that all others follow. */
    public String where() {
        return where;
    }

    /** Returns true if a client chooses the plan, by a header, cookie or parameter. */
    public boolean isOfClient() {
        return SubjectKeyParser.isExpression(text) && OF_CLIENT.matcher(text).find();
    }

    boolean needsPrincipal() {
        return needsPrincipal;
    }

    /**
     * Returns the name of the call's plan, one of those that are known; null if it has none of them, which is logged once.
     *
     * @throws NotKnownException if the plan reads what is not known, such as the principal before authentication
     */
    public @Nullable String of(Call call, Set<String> known) {
        String reason;
        try {
            String named = value.apply(call);
            if (named != null && known.contains(named)) {
                return named;
            }
            reason = named == null || named.isBlank() ? "names none" : "names one that is not configured";
        } catch (NotKnownException notYet) {
            throw notYet;
        } catch (Exception failed) { // also what a called method throws, in Kotlin checked ones, too
            reason = "failed: " + FailureReason.of(failed);
        }
        call.warn(
                unknown, "{}: plan '{}' {}, each limit's own numbers apply. Known are {}", where, text, reason, known);
        return null;
    }
}
