package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.web.RefusalShape.Shaped;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProviders;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The application's own error views: the template that Spring Boot would render for the status ({@code error/429},
 * {@code error/4xx}, {@code error/error}), or a bean or template named {@code error}. Thread-safe.
 */
final class ErrorViews {

    private static final Warning WARNING = new Warning(MessageCode.ERROR_VIEW_FAILED);

    private static final String ERROR = "error";

    private static final MediaType HTML = new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8);

    private final ApplicationContext context;
    private final TemplateAvailabilityProviders templates;
    private final SingletonSupplier<List<ViewResolver>> resolvers;

    ErrorViews(ApplicationContext context) {
        this.context = context;
        this.templates = new TemplateAvailabilityProviders(context);
        this.resolvers = SingletonSupplier.of(() ->
                context.getBeanProvider(ViewResolver.class).orderedStream().toList());
    }

    /**
     * Writes the application's view, if it has one; returns whether it was written. A view that fails counts as none.
     */
    Mono<Boolean> render(Shaped shaped, Locale locale, ServerWebExchange exchange) {
        String path = exchange.getRequest().getPath().value();
        return find(shaped.response().status(), locale)
                .flatMap(view -> view.render(shaped.model(path), HTML, exchange).thenReturn(true))
                .onErrorResume(failed -> {
                    WARNING.log(
                            "The error view of the application failed for a refusal, a plain page takes its place",
                            failed);
                    return Mono.just(exchange.getResponse().isCommitted());
                })
                .defaultIfEmpty(false);
    }

    private Mono<View> find(int status, Locale locale) {
        Mono<View> bean = Mono.justOrEmpty(context.containsBean(ERROR) ? context.getBean(ERROR) : null)
                .ofType(View.class);
        return templates(Stream.of("error/" + status, "error/" + status / 100 + "xx", "error/error"), locale)
                .switchIfEmpty(bean)
                .switchIfEmpty(templates(Stream.of(ERROR), locale));
    }

    private Mono<View> templates(Stream<String> names, Locale locale) {
        return Flux.fromStream(names)
                .filter(name -> templates.getProvider(name, context) != null)
                .concatMap(name -> Flux.fromIterable(resolvers.obtain())
                        .concatMap(resolver -> resolver.resolveViewName(name, locale)))
                .next();
    }
}
