package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.internal.Causes;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/** The application's own answers to a refusal, found by the rules of Spring MVC and WebFlux. Thread-safe. */
public final class OwnHandlers {

    private static final Set<Class<?>> CATCH_ALL = Set.of(RuntimeException.class, Exception.class, Throwable.class);

    private final SingletonSupplier<List<ControllerAdviceBean>> advice;
    private final Map<Class<?>, ExceptionHandlerMethodResolver> resolvers = new ConcurrentHashMap<>();

    public OwnHandlers(ApplicationContext context) {
        this.advice = SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
    }

    /**
     * True if Spring would call a handler that is written for the failure or for one of its causes. A handler that
     * catches everything is not.
     */
    public boolean handle(Throwable failure, @Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        return Stream.concat(Stream.ofNullable(controller), adviceTypes(controller))
                .map(type -> resolver(type).resolveMethodByThrowable(failure))
                .flatMap(Stream::ofNullable)
                .findFirst()
                .filter(method -> names(method, failure))
                .isPresent();
    }

    private Stream<Class<?>> adviceTypes(@Nullable Class<?> controller) {
        return advice.obtain().stream()
                .filter(bean -> bean.isApplicableToBeanType(controller))
                .map(ControllerAdviceBean::getBeanType)
                .flatMap(Stream::ofNullable);
    }

    private ExceptionHandlerMethodResolver resolver(Class<?> type) {
        return resolvers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new);
    }

    private static boolean names(Method method, Throwable failure) {
        ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        List<Class<?>> named = annotation == null || annotation.value().length == 0
                ? Arrays.asList(method.getParameterTypes())
                : Arrays.asList(annotation.value());
        for (Throwable cause : Causes.of(failure)) {
            if (named.stream().anyMatch(type -> isSpecific(type) && type.isInstance(cause))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSpecific(Class<?> type) {
        return Throwable.class.isAssignableFrom(type) && !CATCH_ALL.contains(type);
    }
}
