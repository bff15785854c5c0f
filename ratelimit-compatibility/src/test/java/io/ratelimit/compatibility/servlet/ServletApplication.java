package io.ratelimit.compatibility.servlet;

import io.ratelimit.spring.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.session.data.redis.config.annotation.web.http.EnableRedisHttpSession;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The least a servlet application does with the starter. */
@SpringBootApplication
public class ServletApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(ServletApplication.class, arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityFilterChain.class)
    static class Secured {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/private")
                            .authenticated()
                            .anyRequest()
                            .permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityFilterChain.class)
    @ConditionalOnProperty("own.log-in")
    static class LogIn {

        @Bean
        @Order(1)
        SecurityFilterChain logIn(HttpSecurity http) throws Exception {
            return http.securityMatcher("/login", "/account")
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .csrf(AbstractHttpConfigurer::disable)
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LettuceConnectionFactory.class)
    @ConditionalOnProperty("own.redis.port")
    static class OwnRedis {

        @Bean
        LettuceConnectionFactory connections(Environment environment) {
            return new LettuceConnectionFactory(
                    "127.0.0.1", environment.getRequiredProperty("own.redis.port", Integer.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRedisHttpSession
    @ConditionalOnClass(EnableRedisHttpSession.class)
    static class InSession {}

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    @ConditionalOnProperty("own.cache")
    static class Cached {}

    @RestController
    static class Endpoints {

        private final ObjectProvider<CacheManager> caches;

        Endpoints(ObjectProvider<CacheManager> caches) {
            this.caches = caches;
        }

        @RateLimited(key = "param:userId")
        @GetMapping("/check")
        String check() {
            return "checked";
        }

        @GetMapping("/routed")
        String routed() {
            return "routed by " + Thread.currentThread();
        }

        @GetMapping("/private")
        String secret() {
            return "secret";
        }

        /** What stands beside the starter in the same Redis. */
        @GetMapping("/beside")
        String beside(HttpServletRequest request) {
            request.getSession().setAttribute("seen", "yes");
            return request.getSession().getClass().getName() + " "
                    + caches.getObject().getClass().getName();
        }
    }
}
