package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * Parses expressions once, at start-up, and gives them what they see: method arguments by name, {@code #request},
 * {@code #principal}, and beans. The text of an expression is the developer's; a client only ever supplies values.
 * Thread-safe.
 */
public final class Expressions {

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String RESULT = "result";
    private static final Set<String> OF_REQUEST = Set.of("request", "principal");
    private static final Set<String> ALWAYS = Set.of("request", "principal", "root", "this");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer names = new NamesOfInterfaces();
    private final BeanFactory beanFactory;
    private final BeanFactoryResolver beans;
    private final @Nullable PropertyAccessor principals;

    public Expressions(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        this.beans = new BeanFactoryResolver(beanFactory);
        this.principals = ClassUtils.isPresent(
                        "org.springframework.security.core.Authentication", Expressions.class.getClassLoader())
                ? new PrincipalProperties()
                : null;
    }

    /**
     * Parses an expression over a request, or over a method's arguments.
     *
     * @throws InvalidRateLimitException if it cannot be parsed, or names a variable, bean or method that does not exist
     */
    public SpelExpression parse(String text, String where, @Nullable Method method) {
        return parse(text, where, method, known(method));
    }

    /**
     * Parses an expression that is evaluated when a call has ended, and may name the {@code #result} of a method.
     *
     * @throws InvalidRateLimitException as {@link #parse} does, or if an argument has that name
     */
    public SpelExpression parseAtEnd(String text, String where, @Nullable Method method) {
        Set<String> known = known(method);
        if (method != null && !known.add(RESULT) && text.contains("#" + RESULT)) {
            throw new InvalidRateLimitException(
                    MessageCode.EXPRESSION_NAME_UNKNOWN,
                    where,
                    "'%s' is ambiguous, because the method has an argument 'result': rename that".formatted(text));
        }
        return parse(text, where, method, known);
    }

    private SpelExpression parse(String text, String where, @Nullable Method method, Set<String> known) {
        SpelExpression expression;
        try {
            expression = parser.parseRaw(text);
        } catch (ParseException | IllegalArgumentException unparsable) { // the latter where an operand is missing
            throw new InvalidRateLimitException(
                    MessageCode.EXPRESSION_INVALID,
                    where,
                    "'%s' is not a valid expression: %s".formatted(text, unparsable.getMessage()),
                    unparsable);
        }
        Set<String> used = new HashSet<>();
        collectVariables(expression.getAST(), used);
        used.removeAll(known);
        if (!used.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.EXPRESSION_NAME_UNKNOWN,
                    where,
                    "'%s' names %s, but there is only %s: use one of these".formatted(text, used, known));
        }
        new ExpressionCheck(text, where, beanFactory, isArgument("request", method)).check(expression.getAST());
        return expression;
    }

    /** True if the expression names the request or its principal, and not an argument of that name. */
    boolean needsRequest(SpelExpression expression, @Nullable Method method) {
        Set<String> used = new HashSet<>();
        collectVariables(expression.getAST(), used);
        return OF_REQUEST.stream().anyMatch(name -> used.contains(name) && !isArgument(name, method));
    }

    /** True if the text of the expression names the principal or the authentication, maybe for a bean that reads it. */
    static boolean needsPrincipal(String text) {
        return text.contains("principal") || text.contains("authentication");
    }

    /** Returns what expressions see of a request, or of a call that came with none. */
    public EvaluationContext over(@Nullable RequestView request) {
        return withBeans(new StandardEvaluationContext(request) {
            @Override
            public @Nullable Object lookupVariable(String name) {
                Object set = super.lookupVariable(name);
                return set == null ? ofRequest(name, request) : set;
            }
        });
    }

    public EvaluationContext over(
            @Nullable RequestView request, @Nullable Object target, Method method, @Nullable Object[] arguments) {
        return withBeans(new MethodBasedEvaluationContext(target, method, arguments, names) {
            @Override
            public @Nullable Object lookupVariable(String name) {
                Object argument = super.lookupVariable(name);
                return argument == null && !isArgument(name, method) ? ofRequest(name, request) : argument;
            }
        });
    }

    /** Returns what expressions see of a method that is not called: its arguments throw {@link NotKnownException}. */
    public EvaluationContext withoutArguments(RequestView request, Object target, Method method) {
        return withBeans(new StandardEvaluationContext(target) {
            @Override
            public @Nullable Object lookupVariable(String name) {
                if (OF_REQUEST.contains(name) && !isArgument(name, method)) {
                    return ofRequest(name, request);
                }
                throw new NotKnownException("argument #%s is known only when the method is called".formatted(name));
            }
        });
    }

    /** Returns the number of arguments that a caller writes: the Continuation of a Kotlin {@code suspend} function is not one. */
    public static int argumentCount(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        int last = parameters.length - 1;
        return last >= 0 && parameters[last].getName().equals(CONTINUATION) ? last : parameters.length;
    }

    private EvaluationContext withBeans(StandardEvaluationContext context) {
        context.setBeanResolver(beans);
        if (principals != null) {
            context.addPropertyAccessor(principals);
        }
        return context;
    }

    /** Reads the request's principal only for expressions that name it. Arguments take precedence, also those that are null. */
    private static @Nullable Object ofRequest(String name, @Nullable RequestView request) {
        if (request == null) {
            return null;
        }
        return switch (name) {
            case "request" -> request;
            case "principal" -> request.principal();
            default -> null;
        };
    }

    private Set<String> known(@Nullable Method method) {
        Set<String> known = new HashSet<>(ALWAYS);
        if (method != null) {
            String[] parameters = names.getParameterNames(method);
            for (int i = 0; i < argumentCount(method); i++) {
                known.add("a" + i);
                known.add("p" + i);
                if (parameters != null) {
                    known.add(parameters[i]);
                }
            }
        }
        return known;
    }

    private boolean isArgument(String name, @Nullable Method method) {
        String[] parameters = method == null ? null : names.getParameterNames(method);
        return parameters != null && Arrays.asList(parameters).contains(name);
    }

    private static void collectVariables(SpelNode node, Set<String> into) {
        if (node instanceof VariableReference) {
            into.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectVariables(node.getChild(i), into);
        }
    }

    /** Knows the arguments of a bean that is made from an interface, such as a repository, by the interface's names. */
    private static final class NamesOfInterfaces extends DefaultParameterNameDiscoverer {

        @Override
        public @Nullable String @Nullable [] getParameterNames(Method method) {
            return super.getParameterNames(
                    Proxy.isProxyClass(method.getDeclaringClass())
                            ? ClassUtils.getInterfaceMethodIfPossible(method, method.getDeclaringClass())
                            : method);
        }
    }
}
