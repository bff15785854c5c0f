package io.ratelimit.spring.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.UrlBasedCorsConfigurationSource;
import org.springframework.web.reactive.config.CorsRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.i18n.FixedLocaleContextResolver;
import org.springframework.web.server.i18n.LocaleContextResolver;
import reactor.core.publisher.Mono;

/** What shapes the answers of a reactive application. {@link ServletLooks} has the same by the same names. */
final class ReactiveLooks {

    private ReactiveLooks() {}

    @Configuration(proxyBeanMethods = false)
    static class OwnErrorView {
        @Bean
        View error() {
            return new Text() {
                @Override
                String of(Map<String, ?> model) {
                    return "own: " + model.get("status") + " " + model.get("path") + " " + model.get("message");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenView {
        @Bean
        View error() {
            return new Text() {
                @Override
                String of(Map<String, ?> model) {
                    throw new IllegalStateException("broken");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherLocaleResolver {
        @Bean
        LocaleContextResolver ofTenants() {
            return new FixedLocaleContextResolver(Locale.FRENCH);
        }
    }

    private abstract static class Text implements View {
        abstract String of(Map<String, ?> model);

        @Override
        public List<MediaType> getSupportedMediaTypes() {
            return List.of(MediaType.TEXT_HTML);
        }

        @Override
        public Mono<Void> render(Map<String, ?> model, MediaType contentType, ServerWebExchange exchange) {
            ServerHttpResponse response = exchange.getResponse();
            response.getHeaders().setContentType(contentType);
            return response.writeWith(Mono.fromSupplier(
                    () -> response.bufferFactory().wrap(of(model).getBytes(StandardCharsets.UTF_8))));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByConfigurer implements WebFluxConfigurer {
        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/**").allowedOrigins("https://a.example").exposedHeaders("X-Total");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByFilter {
        @Bean
        CorsWebFilter corsFilter() {
            return new CorsWebFilter(source());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BySource {
        @Bean
        UrlBasedCorsConfigurationSource corsConfigurationSource() {
            return source();
        }
    }

    /** The source is no bean. */
    @Configuration(proxyBeanMethods = false)
    static class BySecurity {
        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.cors(cors -> cors.configurationSource(source()))
                    .authorizeExchange(requests -> requests.pathMatchers("/users")
                            .authenticated()
                            .anyExchange()
                            .permitAll())
                    .build();
        }
    }

    private static UrlBasedCorsConfigurationSource source() {
        CorsConfiguration configuration = new CorsConfiguration();
        configuration.setAllowedOrigins(List.of("https://a.example"));
        configuration.setExposedHeaders(List.of("X-Total"));
        UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
        source.registerCorsConfiguration("/**", configuration);
        return source;
    }
}
