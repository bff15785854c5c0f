package io.ratelimit.sample.playground;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Lets the page of one instance send requests to another instance on the same machine. */
@Configuration(proxyBeanMethods = false)
class PlaygroundCors implements WebMvcConfigurer {

    @Override
    public void addCorsMappings(CorsRegistry registry) {
        registry.addMapping("/playground/**")
                .allowedOriginPatterns("http://localhost:[*]", "http://127.0.0.1:[*]")
                .allowedMethods("GET", "POST")
                .exposedHeaders("Playground-Decisions", "Playground-Decided-At");
    }
}
