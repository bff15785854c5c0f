package io.ratelimit.spring.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers what {@code @RateLimited} throws out of a controller, as the filter answers. Stands before the application's
 * own handlers, or a catch-all among them would make a 500 of it; a handler that names the very exception goes first.
 * Thread-safe.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private record Thrown(Class<?> controller, Class<?> failure) {}

    private final ApplicationContext context;
    private final RefusalWriter refusals;
    private final Map<Thrown, Boolean> handled = new ConcurrentHashMap<>();

    public RateLimitExceptionResolver(ApplicationContext context, RefusalWriter refusals) {
        this.context = context;
        this.refusals = refusals;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (RefusalWriter.answers(cause)) {
                return response.isCommitted() || isHandledByApplication(cause, handler)
                        ? null
                        : written(cause, response);
            }
        }
        return null;
    }

    private ModelAndView written(Throwable refusal, HttpServletResponse response) {
        try {
            refusals.write(refusal, response);
            return new ModelAndView();
        } catch (IOException gone) {
            throw new UncheckedIOException("the client has gone before its refusal was written", gone);
        }
    }

    /** Looked up once for each controller and failure: a flood of refusals is when this runs. */
    private boolean isHandledByApplication(Throwable failure, @Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : Void.class;
        return handled.computeIfAbsent(
                new Thrown(controller, failure.getClass()),
                thrown -> Stream.concat(Stream.of(thrown.controller), adviceTypes())
                        .anyMatch(type -> names(type, thrown.failure)));
    }

    private Stream<Class<?>> adviceTypes() {
        return ControllerAdviceBean.findAnnotatedBeans(context).stream().<Class<?>>mapMulti((advice, types) -> {
            Class<?> type = advice.getBeanType();
            if (type != null) {
                types.accept(type);
            }
        });
    }

    private static boolean names(Class<?> type, Class<?> failure) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<ExceptionHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class))
                .entrySet()
                .stream()
                .anyMatch(handler -> Arrays.asList(handler.getValue().value()).contains(failure)
                        || Arrays.asList(handler.getKey().getParameterTypes()).contains(failure));
    }
}
