package io.ratelimit.spring.internal.rule;

import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.security.core.Authentication;

/**
 * Lets expressions read the properties of an authenticated user or token through {@code #principal}, such as {@code
 * #principal.claims['plan']} of a JWT: what Spring Security's {@code Authentication} does not have itself is read from its
 * principal. Thread-safe. A class of its own, because Spring Security is optional.
 */
final class PrincipalProperties implements PropertyAccessor {

    private final ReflectivePropertyAccessor reflective = new ReflectivePropertyAccessor();

    @Override
    public Class<?>[] getSpecificTargetClasses() {
        return new Class<?>[] {Authentication.class};
    }

    @Override
    public boolean canRead(EvaluationContext context, Object target, String name) throws AccessException {
        Object principal = ((Authentication) target).getPrincipal();
        return principal != null
                && !reflective.canRead(context, target, name)
                && reflective.canRead(context, principal, name);
    }

    @Override
    public TypedValue read(EvaluationContext context, Object target, String name) throws AccessException {
        return reflective.read(context, ((Authentication) target).getPrincipal(), name);
    }

    @Override
    public boolean canWrite(EvaluationContext context, Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, Object target, String name, Object value) throws AccessException {
        throw new AccessException("properties of the principal are only read");
    }
}
