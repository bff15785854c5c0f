package io.ratelimit.spring.autoconfigure;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimiterConnectionFactory;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.internal.redis.RedisStore;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.LooksUpLimits;
import io.ratelimit.spring.testing.StartFailure;
import io.ratelimit.testing.TestRedis;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.data.redis.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where counts live, and what is said of it. */
class StoreTest {

    private static final URI REDIS = URI.create(TestRedis.uri());

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withBean(LooksUpLimits.class)
            .withPropertyValues(
                    "rate-limiter.max-requests=2",
                    "rate-limiter.timeout=15s",
                    "rate-limiter.on-store-failure=closed",
                    "rate-limiter.key-prefix=" + UUID.randomUUID());

    @Test
    void countsInMemoryByDefaultAndSaysSoOnce() {
        try (LogCapture log = LogCapture.start()) {
            contexts.run(context -> {
                assertThat(context.getBeanProvider(RedisStore.class).getIfAvailable())
                        .isNull();
                assertThat(acquire(context).allowed()).isTrue();
            });
            assertThat(log.messages(Level.INFO)).singleElement().asString().contains("in memory");
        }
    }

    @Test
    void countsInTheRedisOfThePropertiesAndSaysSoOnce() {
        try (LogCapture log = LogCapture.start()) {
            sharesCounts(contexts.withPropertyValues("spring.data.redis.url=" + REDIS));
            assertThat(log.messages(Level.INFO))
                    .filteredOn(line -> !line.contains("answers again")) // after a start that was held up
                    .hasSize(2)
                    .allMatch(line -> line.contains("in Redis"));
        }
    }

    @Test
    void countsInTheRedisOfAnApplicationsOwnConnectionFactory() {
        sharesCounts(contexts.withBean(
                LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(REDIS.getHost(), REDIS.getPort())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void countsInTheRedisOfAConnectionFactoryBehindProxies(boolean byClass) {
        sharesCounts(contexts.withBean(
                RedisConnectionFactory.class,
                () -> proxy(proxy(new LettuceConnectionFactory(REDIS.getHost(), REDIS.getPort()), byClass), byClass)));
    }

    private static RedisConnectionFactory proxy(RedisConnectionFactory target, boolean byClass) {
        ProxyFactory proxies = new ProxyFactory(target);
        proxies.setProxyTargetClass(byClass);
        return (RedisConnectionFactory) proxies.getProxy();
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedFactory {

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        LettuceConnectionFactory scoped() {
            return new LettuceConnectionFactory(REDIS.getHost(), REDIS.getPort());
        }
    }

    @Test
    void countsInTheRedisOfAConnectionFactoryInAScope() {
        sharesCounts(contexts.withUserConfiguration(ScopedFactory.class));
    }

    @Test
    void countsInTheRedisOfAnApplicationsOwnConnectionDetails() {
        sharesCounts(contexts.withBean(RedisConnectionDetails.class, Details::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.springframework.data.redis", "io.lettuce"})
    void saysWhatIsMissingWhereRedisIsAskedForWithoutItsJars(String missing) {
        contexts.withPropertyValues("rate-limiter.store=redis")
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(
                                "rate-limiter.store",
                                "'redis' needs Spring Data Redis and Lettuce",
                                "add the dependency org.springframework.boot:spring-boot-starter-data-redis"));
    }

    @Test
    void countsInMemoryWithOneWarningWhereTheFactoryIsOfNeitherClient() {
        try (LogCapture log = LogCapture.start()) {
            contexts.withPropertyValues("spring.data.redis.host=redis")
                    .withBean("other", RedisConnectionFactory.class, OtherFactory::new)
                    .run(context -> assertThat(acquire(context).allowed()).isTrue());
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("rate-limiter.store 'auto'", "a OtherFactory", "@RateLimiterConnectionFactory");
        }
    }

    @Test
    void theStartEndsWhereRedisIsAskedForAndTheFactoryIsOfNeitherClient() {
        contexts.withPropertyValues("rate-limiter.store=redis")
                .withBean("other", RedisConnectionFactory.class, OtherFactory::new)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("rate-limiter.store", "a OtherFactory", "@RateLimiterConnectionFactory"));
    }

    /** As {@code @MockitoBean} puts it in the place of Spring Boot's. */
    @ParameterizedTest
    @ValueSource(classes = {LettuceConnectionFactory.class, JedisConnectionFactory.class})
    void countsInMemoryWithOneWarningWhereTheFactoryIsAMock(Class<RedisConnectionFactory> type) {
        try (LogCapture log = LogCapture.start()) {
            contexts.withBean("redisConnectionFactory", type, () -> mock(type))
                    .run(context -> assertThat(acquire(context).allowed()).isTrue());
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("RL-557", "rate-limiter.store 'auto'", "a mock", "set rate-limiter.store to in-memory");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {LettuceConnectionFactory.class, JedisConnectionFactory.class})
    void theStartEndsWhereRedisIsAskedForAndTheFactoryIsAMock(Class<RedisConnectionFactory> type) {
        contexts.withPropertyValues("rate-limiter.store=redis")
                .withBean("redisConnectionFactory", type, () -> mock(type))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-502: rate-limiter.store", "a mock", "@RateLimiterConnectionFactory"));
    }

    @Test
    void countsWhereTheApplicationsJedisCounts() {
        sharesCounts(contexts.withBean(
                JedisConnectionFactory.class,
                () -> new JedisConnectionFactory(new RedisStandaloneConfiguration(REDIS.getHost(), REDIS.getPort()))));
    }

    @Test
    void theStartEndsWhereJedisHasTlsThatLettuceCannotTakeOver() throws Exception {
        SSLSocketFactory sockets = SSLContext.getDefault().getSocketFactory();
        contexts.withBean(
                        JedisConnectionFactory.class,
                        () -> new JedisConnectionFactory(
                                new RedisStandaloneConfiguration(),
                                JedisClientConfiguration.builder()
                                        .useSsl()
                                        .sslSocketFactory(sockets)
                                        .build()))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("rate-limiter.store", "Jedis has TLS settings", "@RateLimiterConnectionFactory"));
    }

    private final ApplicationContextRunner jedisWithPlainTls = contexts.withPropertyValues(
            "spring.data.redis.client-type=jedis", "spring.data.redis.ssl.enabled=true", "spring.data.redis.port=1");

    /** Spring Boot gives Jedis a socket factory for it. */
    @Test
    void takesOverThePlainTlsOfSpringBootsJedis() {
        jedisWithPlainTls.run(context -> assertThat(context).hasSingleBean(RedisStore.class));
    }

    @Test
    void theStartEndsWhereABundleOrACustomizerMayHaveChangedThePlainTlsOfSpringBootsJedis() {
        jedisWithPlainTls
                .withPropertyValues("spring.data.redis.ssl.bundle=shop")
                .withBean(SslBundles.class, () -> new DefaultSslBundleRegistry("shop", SslBundle.systemDefault()))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-503"));
        jedisWithPlainTls
                .withBean(JedisClientConfigurationBuilderCustomizer.class, () -> settings -> {})
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-503"));
    }

    @Test
    void theStartEndsWhereRedisIsNamedAndThereIsJedisAlone() {
        contexts.withPropertyValues("spring.data.redis.host=redis")
                .withClassLoader(new FilteredClassLoader("io.lettuce"))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("rate-limiter.store", "io.lettuce:lettuce-core", "client-type: jedis"));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {

        @Bean
        LettuceConnectionFactory caches() {
            return new LettuceConnectionFactory("nowhere.invalid", 1);
        }

        @Bean
        @RateLimiterConnectionFactory
        LettuceConnectionFactory limits() {
            return new LettuceConnectionFactory(REDIS.getHost(), REDIS.getPort());
        }
    }

    @Test
    void theMarkedOneOfTwoConnectionFactoriesIsUsed() {
        sharesCounts(contexts.withUserConfiguration(TwoFactories.class));
    }

    @Test
    void anApplicationsOwnLimiterConnectsToNoRedis() {
        contexts.withPropertyValues("spring.data.redis.url=" + REDIS)
                .withBean(RateLimiter.class, InMemoryRateLimiter::create)
                .run(context -> assertThat(context).doesNotHaveBean(RedisStore.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"in-memory", "redis"})
    void customizersChangeTheStackAndListenersHearOfDecisions(String store) {
        List<Boolean> heard = new CopyOnWriteArrayList<>();
        contexts.withPropertyValues("rate-limiter.store=" + store, "spring.data.redis.url=" + REDIS)
                .withBean("hearing", DecisionListener.class, () -> (asked, decision) -> heard.add(decision.allowed()))
                .withBean("failing", DecisionListener.class, () -> (asked, decision) -> {
                    throw new IllegalStateException(asked.charges().toString());
                })
                .withBean(RateLimiterStackCustomizer.class, () -> stack -> stack.reportOnly(true))
                .run(context -> {
                    awaitStore(context.getBean(RateLimiter.class));
                    heard.clear();
                    for (int i = 0; i < 3; i++) {
                        assertThat(acquire(context).allowed()).isTrue();
                    }
                    assertThat(heard).containsExactly(true, true, false);
                });
    }

    private static void sharesCounts(ApplicationContextRunner contexts) {
        contexts.run(one -> contexts.run(other -> {
            awaitStore(one.getBean(RateLimiter.class));
            awaitStore(other.getBean(RateLimiter.class));
            assertThat(acquire(one).allowed()).isTrue();
            assertThat(acquire(other).allowed()).isTrue();
            Decision third = acquire(one);
            assertThat(third.allowed()).isFalse();
            assertThat(third.source()).isEqualTo(Decision.Source.STORE);
        }));
    }

    private static Decision acquire(ApplicationContext context) {
        return context.getBean(RateLimiter.class)
                .acquire(Acquisition.of(context.getBean(Limits.class).get("default"), "alice"));
    }

    /** Of neither Lettuce nor Jedis. */
    static final class OtherFactory implements RedisConnectionFactory {
        @Override
        public RedisConnection getConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisClusterConnection getClusterConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisSentinelConnection getSentinelConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean getConvertPipelineAndTxResults() {
            return false;
        }

        @Override
        public DataAccessException translateExceptionIfPossible(RuntimeException failure) {
            return null;
        }
    }

    static final class Details implements RedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            return Standalone.of(REDIS.getHost(), REDIS.getPort());
        }
    }
}
