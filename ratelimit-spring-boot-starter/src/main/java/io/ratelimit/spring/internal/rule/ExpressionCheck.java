package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ReflectionUtils;

/**
 * Finds beans that do not exist and methods that a request does not have in expressions. All other types are known only
 * when an expression runs.
 */
final class ExpressionCheck {

    private final String text;
    private final String where;
    private final BeanFactory beans;
    private final boolean requestIsArgument;

    /** @param requestIsArgument whether {@code #request} is an argument of the method, whose members are not known */
    ExpressionCheck(String text, String where, BeanFactory beans, boolean requestIsArgument) {
        this.text = text;
        this.where = where;
        this.beans = beans;
        this.requestIsArgument = requestIsArgument;
    }

    void check(SpelNode node) {
        if (node instanceof BeanReference) {
            checkBean(node.toStringAST().replace("'", "").substring(1));
        }
        if (!requestIsArgument
                && node instanceof CompoundExpression
                && node.getChild(0) instanceof VariableReference
                && node.getChild(0).toStringAST().equals("#request")) {
            checkMember(node.getChild(1), RequestView.class, text, where);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i));
        }
    }

    /**
     * Checks what stands first in an expression, if it is a bare word: that is a member of the bean.
     *
     * @throws InvalidRateLimitException if the bean's class has no such member
     */
    static void checkBareWord(SpelNode ast, Class<?> beanType, String text, String where) {
        checkMember(ast instanceof CompoundExpression ? ast.getChild(0) : ast, beanType, text, where);
    }

    /**
     * Checks that a condition can be true or false.
     *
     * @throws InvalidRateLimitException if it is a text or number, or names what the bean's class does not have
     */
    static void checkCondition(SpelNode ast, Class<?> beanType, String text, String where) {
        if (ast instanceof Literal && !(ast instanceof BooleanLiteral)) {
            throw new InvalidRateLimitException(
                    MessageCode.CONDITION_NOT_BOOLEAN,
                    where,
                    "'%s' is neither true nor false: write a condition such as %s"
                            .formatted(
                                    text,
                                    beanType == RequestView.class
                                            ? "#request.header('X-Plan') == 'trial'"
                                            : "#amount > 100"));
        }
        checkBareWord(ast, beanType, text, where);
    }

    /** Returns whether an expression has the same value for every call: literals, and operators on them. */
    static boolean isConstant(SpelNode node) {
        if (node instanceof Literal) {
            return true;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (!isConstant(node.getChild(i))) {
                return false;
            }
        }
        return node instanceof Operator;
    }

    private void checkBean(String name) {
        if (!beans.containsBean(name)) {
            throw new InvalidRateLimitException(
                    MessageCode.EXPRESSION_NAME_UNKNOWN,
                    where,
                    "'%s' names the bean '%s', which is not there: define it, or correct the name"
                            .formatted(text, name));
        }
    }

    private static void checkMember(SpelNode node, Class<?> type, String text, String where) {
        if (node instanceof MethodReference method && !hasMethod(type, method.getName())) {
            throw unknown("a method '" + method.getName() + "()'", type, text, where);
        }
        if (node instanceof PropertyOrFieldReference property && !hasProperty(type, property.getName())) {
            throw unknown("'" + property.getName() + "'", type, text, where);
        }
    }

    private static InvalidRateLimitException unknown(String member, Class<?> type, String text, String where) {
        String known = type != RequestView.class
                ? ""
                : ": use one of "
                        + Arrays.stream(type.getMethods())
                                .map(method -> method.getName() + "()")
                                .collect(Collectors.toCollection(TreeSet::new));
        return new InvalidRateLimitException(
                MessageCode.EXPRESSION_NAME_UNKNOWN,
                where,
                "'%s' names %s, which %s does not have%s".formatted(text, member, type.getSimpleName(), known));
    }

    private static boolean hasMethod(Class<?> type, String name) {
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .anyMatch(method -> method.getName().equals(name));
    }

    private static boolean hasProperty(Class<?> type, String name) {
        return hasMethod(type, name)
                || BeanUtils.getPropertyDescriptor(type, name) != null
                || ReflectionUtils.findField(type, name) != null
                || Arrays.stream(type.getFields())
                        .anyMatch(of -> of.getName().equals(name)); // a constant of an interface
    }
}
