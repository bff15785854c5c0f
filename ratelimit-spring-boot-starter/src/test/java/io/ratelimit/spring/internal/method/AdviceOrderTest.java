package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Patience;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** What comes before the limits, what after, and that they come once. */
class AdviceOrderTest {

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Secured {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    @Configuration(proxyBeanMethods = false)
    static class SecondCreator {
        @Bean
        static DefaultAdvisorAutoProxyCreator secondCreator() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            return creator;
        }
    }

    static class Vault {
        @PreAuthorize("hasRole('ADMIN')")
        @RateLimited(maxRequests = "2", key = "#user")
        public void open(String user) {}

        @Async
        @PreAuthorize("hasRole('ADMIN')")
        @RateLimited(maxRequests = "2", key = "#user")
        public CompletableFuture<String> openLater(String user) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async
        @RateLimited(maxRequests = "1", key = "#user")
        public void fireAndForget(String user) {}
    }

    private final ApplicationContextRunner contexts =
            Contexts.plain().withUserConfiguration(AtSettableTime.class).withBean(Vault.class);

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void aCallThatIsNotPermittedIsNotCharged() {
        contexts.withUserConfiguration(Secured.class).run(context -> {
            Vault vault = context.getBean(Vault.class);
            logIn("bob", "ROLE_USER");
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> vault.open("alice"));
            }
            logIn("alice", "ROLE_ADMIN");
            vault.open("alice");
            vault.open("alice");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> vault.open("alice"));
        });
    }

    @Test
    void theOrderIsAProperty() {
        contexts.withUserConfiguration(Secured.class)
                .withPropertyValues("rate-limiter.order=0")
                .run(context -> {
                    Vault vault = context.getBean(Vault.class);
                    logIn("bob", "ROLE_USER");
                    for (int i = 0; i < 2; i++) {
                        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> vault.open("alice"));
                    }
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> vault.open("alice"));
                });
    }

    @Test
    void decidesOnTheCallersThreadBeforeAsyncHandsOver() {
        contexts.withUserConfiguration(Asynchronous.class).run(context -> {
            Vault vault = context.getBean(Vault.class);
            vault.fireAndForget("alice");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> vault.fireAndForget("alice"));
            assertThatCode(() -> vault.fireAndForget("bob")).doesNotThrowAnyException();
        });
    }

    @Test
    void securityStaysBeforeTheLimitsWhereAsyncComesAfterThem() {
        contexts.withUserConfiguration(Asynchronous.class, Secured.class).run(context -> {
            Vault vault = context.getBean(Vault.class);
            logIn("bob", "ROLE_USER");
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> vault.openLater("alice"));
            }
            logIn("alice", "ROLE_ADMIN");
            assertThat(vault.openLater("alice"))
                    .succeedsWithin(Patience.LONGEST)
                    .isNotEqualTo(Thread.currentThread().getName());
        });
    }

    @Test
    void chargesOnceWhereTwoCreatorsMakeProxies() {
        contexts.withUserConfiguration(SecondCreator.class).run(context -> {
            Vault vault = context.getBean(Vault.class);
            vault.open("alice");
            vault.open("alice");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> vault.open("alice"));
        });
    }

    private static void logIn(String user, String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(user, "", role));
    }
}
