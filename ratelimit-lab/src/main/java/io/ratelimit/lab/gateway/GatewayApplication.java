package io.ratelimit.lab.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** A gateway in front of one path of its own: 10 requests in 10 s for each value of {@code X-User}. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class GatewayApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(GatewayApplication.class);
        application.setWebApplicationType(WebApplicationType.REACTIVE);
        application.run(args);
    }

    /** Less than one request a second, as the documentation of {@code requestedTokens} says. */
    @Bean
    RedisRateLimiter tenInTenSeconds() {
        return new RedisRateLimiter(10, 100, 10);
    }

    @Bean
    KeyResolver user() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
    }

    @Bean
    RouteLocator routes(RouteLocatorBuilder routes, RedisRateLimiter limiter, KeyResolver user) {
        return routes.routes()
                .route(
                        "limited",
                        route -> route.path("/limited")
                                .filters(filters -> filters.requestRateLimiter(
                                        config -> config.setRateLimiter(limiter).setKeyResolver(user)))
                                .uri("forward:/upstream"))
                .build();
    }

    @Bean
    RouterFunction<ServerResponse> upstream() {
        return RouterFunctions.route()
                .GET("/upstream", request -> ServerResponse.ok().bodyValue("allowed"))
                .build();
    }
}
