package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ReflectionUtils;

/** Whatever makes the proxies. */
class ProxyTest {

    public interface Caller {
        String call();
    }

    public static class Service implements Caller {
        @Override
        @RateLimited(maxRequests = "1")
        public String call() {
            return "called";
        }
    }

    public static final class FinalService implements Caller {
        @Override
        @RateLimited(maxRequests = "1")
        public String call() {
            return "called";
        }
    }

    public interface Prices {
        String price();
    }

    /** As it works today: the application proxies it by its interface, and cannot by its class. */
    static final class CachedPrices implements Prices {
        private int asked;

        @Override
        @Cacheable("prices")
        public String price() {
            return "asked " + ++asked;
        }
    }

    public static class LimitedPrices implements Prices {
        private int asked;

        @Override
        @Cacheable("prices")
        @RateLimited(maxRequests = "2")
        public String price() {
            return "asked " + ++asked;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {
        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    static class Plain {
        public void call() {}
    }

    /** As of Spring Data, of clients of an interface. */
    public interface Repository {
        @RateLimited(maxRequests = "1", key = "#name")
        String find(String name);

        static Repository made() {
            return (Repository) Proxy.newProxyInstance(
                    Repository.class.getClassLoader(),
                    new Class<?>[] {Repository.class},
                    (proxy, method, arguments) ->
                            ReflectionUtils.isObjectMethod(method) ? method.invoke("made", arguments) : "found");
        }
    }

    static class Repositories extends AbstractFactoryBean<Repository> {
        @Override
        public Class<?> getObjectType() {
            return Repository.class;
        }

        @Override
        protected Repository createInstance() {
            return Repository.made();
        }
    }

    @Aspect
    static class Witness {
        final List<String> seen = new ArrayList<>();

        @Before("execution(* io.ratelimit.spring.internal.method.ProxyTest.Service.call())")
        public void see() {
            seen.add("call");
        }
    }

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withUserConfiguration(AtSettableTime.class)
            .withBean(Service.class)
            .withBean(Plain.class);

    @Test
    void limitsWithoutAnyOtherAop() {
        limits(contexts);
    }

    @Test
    void limitsWithoutAspectj() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.aspectj")));
    }

    @Test
    void limitsBesideAspectsAndBeforeThem() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class)));
        contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(Witness.class)
                .run(context -> {
                    Caller caller = context.getBean(Caller.class);
                    caller.call();
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(caller::call);
                    assertThat(context.getBean(Witness.class).seen).hasSize(1);
                });
    }

    @Test
    void limitsWithAopSwitchedOff() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.auto=false"));
    }

    @Test
    void limitsThroughInterfaceProxies() {
        contexts.withPropertyValues("spring.aop.proxy-target-class=false").run(context -> {
            Caller caller = context.getBean(Caller.class);
            assertThat(AopUtils.isJdkDynamicProxy(caller)).isTrue();
            caller.call();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(caller::call);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void whatTheApplicationProxiesByItsInterfaceStaysSo(String byClass) {
        ApplicationContextRunner cached = contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.auto=false")
                .withUserConfiguration(Caching.class)
                .withBean(CachedPrices.class);
        for (ApplicationContextRunner application :
                List.of(cached, cached.withPropertyValues("spring.aop.proxy-target-class=" + byClass))) {
            application.run(context -> {
                Prices prices = context.getBean(Prices.class);
                assertThat(AopUtils.isJdkDynamicProxy(prices)).isTrue();
                assertThat(prices.price()).isEqualTo(prices.price());
            });
        }
    }

    @Test
    void aLimitedBeanIsStillInjectedByItsClass() {
        contexts.withPropertyValues("spring.aop.auto=false")
                .withUserConfiguration(Caching.class)
                .withBean(LimitedPrices.class)
                .run(context -> {
                    LimitedPrices prices = context.getBean(LimitedPrices.class);
                    assertThat(prices.price()).isEqualTo("asked 1").isEqualTo(prices.price());
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(prices::price);
                });
    }

    @Test
    void aFinalClassIsLimitedThroughItsInterfaceUnlessTheApplicationProxiesByClass() {
        Contexts.plain()
                .withUserConfiguration(AtSettableTime.class)
                .withBean(FinalService.class)
                .withPropertyValues("spring.aop.auto=false")
                .run(context -> {
                    Caller caller = context.getBean(Caller.class);
                    assertThat(AopUtils.isJdkDynamicProxy(caller)).isTrue();
                    assertThat(caller.call()).isEqualTo("called");
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(caller::call);
                });
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(FinalService.class)
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void argumentsOfWhatIsMadeFromAnInterfaceHaveItsNames() {
        for (ApplicationContextRunner application : List.of(
                contexts.withBean(Repositories.class),
                contexts.withBean("repository", Repository.class, Repository::made))) {
            application.run(context -> {
                Repository repository = context.getBean(Repository.class);
                assertThat(repository.find("anna")).isEqualTo(repository.find("ben"));
                assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> repository.find("anna"));
            });
        }
    }

    @Test
    void leavesBeansWithoutTheAnnotationAlone() {
        contexts.run(context ->
                assertThat(AopUtils.isAopProxy(context.getBean(Plain.class))).isFalse());
    }

    private static void limits(ApplicationContextRunner contexts) {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.call()).isEqualTo("called");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::call);
        });
    }
}
