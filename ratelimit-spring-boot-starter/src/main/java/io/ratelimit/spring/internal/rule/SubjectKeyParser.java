package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.ScopeNotActiveException;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ObjectUtils;

/** Parses the text of a {@code key}, and of a {@code plan}. Thread-safe. */
public final class SubjectKeyParser {

    /** A token of RFC 9110, as names of headers and cookies are. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Pattern STRIPPED = Pattern.compile("\\S(.*\\S)?");

    private static final Pattern LITERAL = Pattern.compile("'[^']*'|\"[^\"]*\"");

    private static final String KEY = "key";

    private final ListableBeanFactory beans;
    private final Expressions expressions;

    public SubjectKeyParser(ListableBeanFactory beans, Expressions expressions) {
        this.beans = beans;
        this.expressions = expressions;
    }

    /**
     * Parses a key.
     *
     * @param where the property or annotated method that holds it
     * @param method whose arguments an expression may name
     * @throws InvalidRateLimitException if it is not a valid key
     */
    public SubjectKey parse(String text, String where, @Nullable Method method) {
        return parse(KEY, text, where, method);
    }

    /**
     * Parses what limits of unique-count count, which is written as a key is.
     *
     * @throws InvalidRateLimitException if it is not valid, or the same for every call, so that no limit ever refuses
     */
    public SubjectKey parseElement(String text, String where, @Nullable Method method) {
        SubjectKey element = parse("element", text, where, method);
        if (text.equals("global")
                || (isExpression(text)
                        && ExpressionCheck.isConstant(
                                expressions.parse(text, where, method).getAST()))) {
            throw new InvalidRateLimitException(
                    MessageCode.ELEMENT_INVALID,
                    where,
                    ("element '%s' is the same for every call, so that no limit ever refuses: name what differs between the"
                                    + " calls of a subject, such as header:X-Device")
                            .formatted(text));
        }
        return element;
    }

    /**
     * Parses a plan.
     *
     * @throws InvalidRateLimitException if it is neither an expression nor the name of a PlanResolver bean
     */
    public Plan parsePlan(String text, String where, @Nullable Method method) {
        return Plan.parse(text, where, method, expressions, beans);
    }

    private SubjectKey parse(String attribute, String text, String where, @Nullable Method method) {
        return switch (text) {
            case "ip" -> SubjectKey.address(where);
            case "principal", "caller" ->
                SubjectKey.ofRequest(text, "principal", true, SubjectKeyParser::principalName, where);
            case "global" -> SubjectKey.everybody(where);
            default -> isExpression(text) ? expression(text, where, method) : named(attribute, text, where);
        };
    }

    private SubjectKey named(String attribute, String text, String where) {
        int colon = text.indexOf(':');
        if (colon > 0 && colon < text.length() - 1) {
            String name = text.substring(colon + 1);
            String kind = kind(text.substring(0, colon), name);
            switch (text.substring(0, colon)) {
                case "header" -> {
                    checkName("header", TOKEN, name, attribute, text, where);
                    return SubjectKey.ofRequest(text, kind, false, request -> request.header(name), where);
                }
                case "cookie" -> {
                    checkName("cookie", TOKEN, name, attribute, text, where);
                    return SubjectKey.ofRequest(text, kind, false, request -> request.cookie(name), where);
                }
                case "param" -> {
                    checkName("query parameter", STRIPPED, name, attribute, text, where);
                    return new SubjectKey(text, kind, false, new QueryParameter(name, where)::of, where);
                }
                case "path" -> {
                    return SubjectKey.ofPath(text, name, where);
                }
                default -> {}
            }
        }
        return bean(attribute, text, where);
    }

    private static void checkName(
            String kind, Pattern possible, String name, String attribute, String text, String where) {
        if (!possible.matcher(name).matches()) {
            throw new InvalidRateLimitException(
                    MessageCode.KEY_INVALID,
                    where,
                    ("%s '%s' names a %s '%s', which no request can have, so that addresses would be counted: leave out what"
                                    + " does not belong to the name, such as spaces")
                            .formatted(attribute, text, kind, name));
        }
    }

    /** True if a header or cookie can have that name. */
    public static boolean isToken(String name) {
        return TOKEN.matcher(name).matches();
    }

    private SubjectKey bean(String attribute, String text, String where) {
        if (!beans.containsBean(text) || !beans.isTypeMatch(text, KeyResolver.class)) {
            throw new InvalidRateLimitException(
                    MessageCode.KEY_INVALID,
                    where,
                    ("%s '%s' is unknown: use ip, principal, caller,%s header:NAME, cookie:NAME, param:NAME,"
                                    + " path:NAME, the name of a KeyResolver bean, or an expression that starts with #, @ or '")
                            .formatted(attribute, text, attribute.equals(KEY) ? " global," : ""));
        }
        KeyResolver resolver = beans.getBean(text, KeyResolver.class);
        return SubjectKey.ofRequest(text, "value", needsPrincipal(resolver::needsPrincipal), resolver::resolve, where);
    }

    /** Asks a resolver; one whose scope begins only with a request decides after authentication. */
    static boolean needsPrincipal(BooleanSupplier resolver) {
        try {
            return resolver.getAsBoolean();
        } catch (ScopeNotActiveException later) {
            return true;
        }
    }

    private SubjectKey expression(String text, String where, @Nullable Method method) {
        SpelExpression expression = expressions.parse(text, where, method);
        Function<Call, @Nullable String> value = call -> subject(expression.getValue(call.variables()));
        return SubjectKey.ofExpression(
                text, expressions.needsRequest(expression, method), Expressions.needsPrincipal(text), value, where);
    }

    /**
     * Returns the value as a text; null if it has none, so that no two calls of anybody would count together. The text of a
     * principal is its name: what else Spring Security prints of one, such as its session, differs from call to call.
     *
     * @throws IllegalStateException if the value is not there yet
     */
    private static @Nullable String subject(@Nullable Object found) {
        Object value = ObjectUtils.unwrapOptional(found);
        if (value == null || ObjectUtils.isEmpty(value)) { // also a collection, array or map
            return null;
        }
        if (value instanceof CharSequence) {
            return value.toString();
        }
        if (value instanceof Principal principal) {
            return principal.getName();
        }
        if (value instanceof Future<?>
                || value instanceof CompletionStage<?>
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value) != null) {
            throw new IllegalStateException("a key must be known at once, and this is a "
                    + value.getClass().getName());
        }
        String text = ObjectUtils.nullSafeToString(value);
        return text.startsWith(ObjectUtils.identityToString(value)) ? null : text;
    }

    /**
     * Escapes colons, so that a name cannot end the kind. Names of headers are written in lower case, because they
     * ignore case.
     */
    private static String kind(String source, String name) {
        String exact = source.equals("header") ? name.toLowerCase(Locale.ROOT) : name;
        return source + ":" + exact.replace(":", "%3A");
    }

    /** True if the key is an expression, which may name arguments that only some methods have. */
    public static boolean isExpression(String text) {
        return text.startsWith("#") || text.startsWith("@") || text.startsWith("'");
    }

    /** False for an expression that names the principal only within literals, as in the name of a header. */
    static boolean mayReadPrincipal(String text) {
        return !isExpression(text)
                || Expressions.needsPrincipal(LITERAL.matcher(text).replaceAll(""));
    }

    private static @Nullable String principalName(RequestView request) {
        Principal principal = request.principal();
        return principal == null ? null : principal.getName();
    }
}
