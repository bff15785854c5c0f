package io.ratelimit.compatibility.gateway.webflux;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** A gateway whose routes are in its properties. */
@SpringBootApplication
public class WebFluxGateway {

    public static void main(String[] arguments) {
        SpringApplication.run(WebFluxGateway.class, arguments);
    }

    @Bean
    KeyResolver apiKey() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Api-Key"));
    }
}
