package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProviders;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;

/**
 * The application's own error views: what Spring Boot would show for the status ({@code error/429}, {@code error/4xx}),
 * or a view named {@code error}. Thread-safe.
 */
final class ErrorViews {

    /** The interface in Spring Boot 3.5, and since 4.0; its one method is the same. Native images have a hint for each. */
    private static final List<String> RESOLVERS = List.of(
            "org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver",
            "org.springframework.boot.webmvc.autoconfigure.error.ErrorViewResolver");

    private static final Class<?>[] PARAMETERS = {HttpServletRequest.class, HttpStatus.class, Map.class};

    private static final String ERROR = "error";

    private final ApplicationContext context;
    private final SingletonSupplier<List<Resolver>> resolvers;
    private final SingletonSupplier<Boolean> template;

    ErrorViews(ApplicationContext context) {
        this.context = context;
        this.resolvers = SingletonSupplier.of(() -> RESOLVERS.stream()
                .filter(name -> ClassUtils.isPresent(name, context.getClassLoader()))
                .map(name -> ClassUtils.resolveClassName(name, context.getClassLoader()))
                .flatMap(type -> context.getBeanProvider(type)
                        .orderedStream()
                        .map(bean -> new Resolver(bean, ClassUtils.getMethod(type, "resolveErrorView", PARAMETERS))))
                .toList());
        this.template = SingletonSupplier.of(
                () -> new TemplateAvailabilityProviders(context).getProvider(ERROR, context) != null);
    }

    @Nullable
    View find(HttpServletRequest request, HttpStatus status, Map<String, Object> model, Locale locale) {
        return resolvers.obtain().stream()
                .map(resolver -> resolver.resolve(request, status, model))
                .filter(Objects::nonNull)
                .map(found -> found.getView() == null ? named(found.getViewName(), locale) : found.getView())
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> general(locale));
    }

    /** A bean and the method of the interface. */
    private record Resolver(Object bean, Method method) {
        @Nullable
        ModelAndView resolve(HttpServletRequest request, HttpStatus status, Map<String, Object> model) {
            return (ModelAndView) ReflectionUtils.invokeMethod(method, bean, request, status, model);
        }
    }

    /** Ignores Spring Boot's own view of that name, which is not the application's. */
    private @Nullable View general(Locale locale) {
        if (context.containsBean(ERROR) && context.getBean(ERROR) instanceof View view) {
            return view.getClass().getName().startsWith("org.springframework.boot.") ? null : view;
        }
        return Boolean.TRUE.equals(template.get()) ? named(ERROR, locale) : null;
    }

    private @Nullable View named(@Nullable String name, Locale locale) {
        Stream<ViewResolver> views = context.getBeanProvider(ViewResolver.class).orderedStream();
        return name == null
                ? null
                : views.map(resolver -> resolved(resolver, name, locale))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    private static @Nullable View resolved(ViewResolver resolver, String name, Locale locale) {
        try {
            return resolver.resolveViewName(name, locale);
        } catch (Exception unresolvable) {
            return null;
        }
    }
}
