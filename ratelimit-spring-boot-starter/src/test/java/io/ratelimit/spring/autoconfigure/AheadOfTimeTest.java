package io.ratelimit.spring.autoconfigure;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.client.LimitedFeign;
import io.ratelimit.spring.internal.client.LimitedRequests;
import io.ratelimit.spring.internal.operate.RateLimitsEndpoint;
import io.ratelimit.spring.internal.redis.RedisStore;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.web.client.RestClientCustomizer;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.javapoet.ClassName;
import org.springframework.web.client.RestClient;

/** Contexts that were processed ahead of time, as native images are, and then run with other properties. */
@Tag("thorough")
class AheadOfTimeTest {

    private static final String[] LIMITS = {
        "rate-limiter.max-requests=2",
        "rate-limiter.limits.login.max-requests=3",
        "rate-limiter.timeout=15s",
        "rate-limiter.clients.shop.hosts=api.example.com",
        "rate-limiter.clients.shop.limits=login"
    };

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        RedisAutoConfiguration.class,
        RedisRateLimiterAutoConfiguration.class,
        RateLimiterAutoConfiguration.class,
        ClientsRateLimiterAutoConfiguration.class,
        RateLimitedAutoConfiguration.class
    })
    static class Application {

        @Bean
        Service service(@Qualifier("login") Limit login) {
            return new Service(login);
        }
    }

    static class Service {

        private final Limit login;

        Service(Limit login) {
            this.login = login;
        }

        public Limit login() {
            return login;
        }

        @RateLimited("login")
        public void logIn() {}
    }

    @Test
    @CompileWithForkedClassLoader
    void namedLimitsAreThereAndTheStoreIsChosenWhenTheApplicationRuns() {
        compiledAheadOfTime(application -> {
            application.run(LIMITS, context -> {
                assertThat(context.getBean(Service.class).login().maxRequests()).isEqualTo(3);
                assertThat(context.getBeanProvider(RedisStore.class).getIfAvailable())
                        .isNull();
                RestClient.Builder client = RestClient.builder();
                context.getBean(RestClientCustomizer.class).customize(client);
                client.requestInterceptors(
                        limits -> assertThat(limits).singleElement().isInstanceOf(LimitedRequests.class));
            });
            String[] onRedis = Arrays.copyOf(LIMITS, LIMITS.length + 1);
            onRedis[LIMITS.length] = "spring.data.redis.url=" + TestRedis.uri();
            application.run(onRedis, context -> {
                assertThat(context.getBean(RedisStore.class)).isNotNull();
                Limit login = context.getBean(Service.class).login();
                RateLimiter limiter = context.getBean(RateLimiter.class);
                awaitStore(limiter);
                assertThat(limiter.acquire(Acquisition.of(login, "alice")).source())
                        .isEqualTo(Decision.Source.STORE);
            });
        });
    }

    @Test
    void hintsNameScriptsAndWhatExpressionsCall() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        new RateLimiterRuntimeHints().registerHints(hints, getClass().getClassLoader());

        for (MessageCode code : MessageCode.values()) {
            assertIncluded(hints, "META-INF/ratelimit/errors/" + code + ".md");
        }
        List<String> scripts = new ArrayList<>();
        for (Resource script : new PathMatchingResourcePatternResolver()
                .getResources("classpath*:io/ratelimit/**/internal/redis/*.lua")) {
            scripts.add(script.getURL().toString().replaceFirst(".*(io/ratelimit/)", "$1"));
        }
        assertThat(scripts)
                .contains("io/ratelimit/spring/internal/redis/overrides.lua")
                .hasSizeGreaterThan(Algorithm.values().length)
                .allMatch(name ->
                        RuntimeHintsPredicates.resource().forResource(name).test(hints));
        for (Class<?> called : List.of(RequestView.class, KeyResolver.class, RateLimited.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(called)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(LimitedFeign.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(ErrorViewResolver.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(RestClientCustomizer.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(LettuceClientConfiguration.class))
                .accepts(hints);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RateLimitsDescription",
                "RateLimitsDescription$LimitDescription",
                "RateLimitsDescription$PlanDescription",
                "RateLimitsDescription$OverrideDescription",
                "RateLimitsDescription$RouteDescription",
                "RateLimitsDescription$MethodDescription",
                "RateLimitsDescription$RuleDescription",
                "RequestExplainer$RequestExplanation",
                "RequestExplainer$RequestExplanation$RuleExplanation",
                "SubjectState",
                "OverrideOperations$Overridden"
            })
    void hintsNameWhatTheEndpointAnswers(String record) throws ReflectiveOperationException {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, RateLimitsEndpoint.class);
        Class<?> answer = Class.forName(RateLimitsEndpoint.class.getPackageName() + "." + record);

        assertThat(answer.getRecordComponents())
                .isNotEmpty()
                .allSatisfy(component -> assertThat(
                                RuntimeHintsPredicates.reflection().onMethod(component.getAccessor()))
                        .accepts(hints));
    }

    private static void assertIncluded(RuntimeHints hints, String resource) {
        assertThat(ClassLoader.getSystemResource(resource)).as(resource).isNotNull();
        assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(hints);
    }

    @Test
    void hintsNameTheProperties() {
        TestGenerationContext generation = new TestGenerationContext();
        process(generation);

        for (Class<?> bound : List.of(
                RateLimiterProperties.class,
                RateLimiterProperties.LimitProperties.class,
                RateLimiterProperties.RouteProperties.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(bound)).accepts(generation.getRuntimeHints());
        }
    }

    private interface Compiled {
        void run(String[] properties, Consumer<GenericApplicationContext> test);
    }

    /** Built with the limits alone. */
    private static void compiledAheadOfTime(Consumer<Compiled> test) {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer = process(generation);
        generation.writeGeneratedContent();
        TestCompiler.forSystem()
                .with(generation)
                .compile(compiled -> test.accept((atRunTime, use) -> {
                    try (GenericApplicationContext context = new GenericApplicationContext()) {
                        TestPropertyValues.of(atRunTime).applyTo(context);
                        initialize(
                                compiled.getInstance(ApplicationContextInitializer.class, initializer.toString()),
                                context);
                        context.refresh();
                        use.accept(context);
                    }
                }));
    }

    private static ClassName process(TestGenerationContext generation) {
        AnnotationConfigApplicationContext build = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(LIMITS).applyTo(build);
        build.register(Application.class);
        return new ApplicationContextAotGenerator().processAheadOfTime(build, generation);
    }

    @SuppressWarnings("unchecked")
    private static void initialize(ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
        ((ApplicationContextInitializer<GenericApplicationContext>) initializer).initialize(context);
    }
}
