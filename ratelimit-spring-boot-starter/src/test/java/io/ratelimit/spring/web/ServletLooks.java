package io.ratelimit.spring.web;

import java.util.List;
import java.util.Locale;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.i18n.FixedLocaleResolver;

/** What shapes the answers of a servlet application. {@link ReactiveLooks} has the same by the same names. */
final class ServletLooks {

    private ServletLooks() {}

    @Configuration(proxyBeanMethods = false)
    static class OwnErrorView {

        @Bean
        View error() {
            return (model, request, response) -> response.getWriter()
                    .write("own: " + model.get("status") + " " + model.get("path") + " " + model.get("message"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenView {

        @Bean
        View error() {
            return (model, request, response) -> {
                response.getWriter().write("half a page");
                throw new IllegalStateException("broken");
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherLocaleResolver {

        @Bean
        LocaleResolver ofTenants() {
            return new FixedLocaleResolver(Locale.FRENCH);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByConfigurer implements WebMvcConfigurer {

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/**").allowedOrigins("https://a.example").exposedHeaders("X-Total");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByFilter {

        @Bean
        CorsFilter corsFilter() {
            return new CorsFilter(source());
        }
    }

    /** Its source is no bean. */
    @Configuration(proxyBeanMethods = false)
    static class InFront {

        @Bean
        FilterRegistrationBean<CorsFilter> corsInFront() {
            FilterRegistrationBean<CorsFilter> first = new FilterRegistrationBean<>(new CorsFilter(source()));
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
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
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.cors(cors -> cors.configurationSource(source()))
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/users")
                            .authenticated()
                            .anyRequest()
                            .permitAll())
                    .build();
        }
    }

    private static UrlBasedCorsConfigurationSource source() {
        CorsConfiguration configuration = new CorsConfiguration();
        configuration.setAllowedOrigins(List.of("https://a.example"));
        configuration.setAllowedMethods(List.of("GET", "POST"));
        configuration.setExposedHeaders(List.of("X-Total"));
        UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
        source.registerCorsConfiguration("/**", configuration);
        return source;
    }
}
