package io.ratelimit.compatibility.reactive;

import io.ratelimit.spring.RateLimited;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The least a reactive application does with the starter, under BlockHound: what blocks on an event loop fails. */
@SpringBootApplication
public class ReactiveApplication {

    public static void main(String[] arguments) {
        BlockHound.install(found -> found.blockingMethodCallback(ReactiveApplication::fail));
        SpringApplication.run(ReactiveApplication.class, arguments);
    }

    /** Shows where, even if the failure is handled. */
    private static void fail(BlockingMethod method) {
        BlockingOperationError error = new BlockingOperationError(method);
        error.printStackTrace();
        throw error;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityWebFilterChain.class)
    static class Secured {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.pathMatchers("/private", "/mine")
                            .authenticated()
                            .anyExchange()
                            .permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("user").password("{noop}password").build());
        }
    }

    @Service
    static class Orders {

        /** Of a request that is known on another thread. */
        @RateLimited(maxRequests = "2", key = "principal")
        public Mono<String> find() {
            return Mono.just("found");
        }
    }

    @RestController
    static class Endpoints {

        private final Orders orders;

        Endpoints(Orders orders) {
            this.orders = orders;
        }

        @RateLimited(key = "param:userId")
        @GetMapping("/check")
        Mono<String> check() {
            return Mono.just("checked");
        }

        @GetMapping("/routed")
        Mono<String> routed() {
            return Mono.just("routed");
        }

        @GetMapping("/private")
        Mono<String> secret() {
            return Mono.just("secret");
        }

        @GetMapping("/mine")
        Mono<String> mine() {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> orders.find());
        }

        @GetMapping("/blocking")
        Mono<String> blocking() {
            return Mono.fromCallable(() -> {
                        Thread.sleep(1);
                        return "BlockHound did not see it";
                    })
                    .subscribeOn(Schedulers.parallel());
        }
    }
}
