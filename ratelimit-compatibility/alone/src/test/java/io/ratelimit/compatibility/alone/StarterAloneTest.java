package io.ratelimit.compatibility.alone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.compatibility.alone.Products.Product;
import io.ratelimit.compatibility.alone.ShopApplication.Prices;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

/** The starter brings nothing that Spring Boot configures an application by. */
@ExtendWith(OutputCaptureExtension.class)
class StarterAloneTest {

    @Test
    void bringsNoRedisNoReactorNoCaffeineAndNoKotlin() {
        assertThat(isPresent("org.springframework.data.redis.connection.RedisConnectionFactory"))
                .isFalse();
        assertThat(isPresent("io.lettuce.core.RedisClient")).isFalse();
        assertThat(isPresent("reactor.core.publisher.Flux")).isFalse();
        assertThat(isPresent("com.github.benmanes.caffeine.cache.Caffeine")).isFalse();
        assertThat(isPresent("kotlin.Unit")).isFalse();
    }

    @Test
    void publishesNoDependencyOnCaffeine() throws IOException {
        Resource core = new ClassPathResource("META-INF/maven/io.ratelimit/ratelimit-core/pom.xml");
        assertThat(core.getContentAsString(UTF_8))
                .contains("<artifactId>slf4j-api")
                .doesNotContain("<artifactId>caffeine");
    }

    /** Caffeine finds classes by a name that it puts together. */
    @Test
    void nativeImagesKeepTheClassesThatCaffeineLooksFor() {
        AnnotationConfigApplicationContext limiter = new AnnotationConfigApplicationContext();
        GenerationContext generated = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(ShopApplication.class)), new InMemoryGeneratedFiles());
        limiter.register(RateLimiterAutoConfiguration.class);
        new ApplicationContextAotGenerator().processAheadOfTime(limiter, generated);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("io.ratelimit.internal.shaded.caffeine.cache.SSMSA")))
                .accepts(generated.getRuntimeHints());
    }

    @Test
    void cacheStaysTheApplicationsOwn() {
        inShop(shop -> {
            Prices prices = shop.getBean(Prices.class);
            assertThat(prices.price("apple") + prices.price("apple")).isEqualTo(10);
            assertThat(prices.lookups()).isEqualTo(1);
            assertThat(shop.getBean(CacheManager.class)).isInstanceOf(ConcurrentMapCacheManager.class);
        });
    }

    @Test
    void repositoriesStay() {
        inShop(shop -> {
            Products products = shop.getBean(Products.class);
            Product saved = products.save(new Product(null, "apple"));
            assertThat(products.findById(saved.id())).contains(saved);
        });
    }

    @Test
    void healthKnowsOfNoRedis() {
        inShop(shop -> assertThat(shop.getBean(HealthEndpoint.class).health().getStatus())
                .isEqualTo(Status.UP));
    }

    @Test
    void limitsInMemory() {
        inShop(shop -> {
            Prices prices = shop.getBean(Prices.class);
            prices.order();
            assertThatThrownBy(prices::order).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void refusesBrowsersWithTheApplicationsOwnTemplate() throws Exception {
        try (ConfigurableApplicationContext shop = start(
                "--rate-limiter.routes.orders.paths=/orders",
                "--rate-limiter.routes.orders.limits=default",
                "--server.servlet.context-path=/shop")) {
            get(shop, "/shop/orders");
            HttpResponse<String> refused = get(shop, "/shop/orders");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
            assertThat(refused.body())
                    .contains("lang=\"de\"", "<h1>Slow down: 429</h1>", "assigned quota", "href=\"/shop/help\"");
        }
    }

    @Test
    void namesTheDependencyThatRedisNeeds(CapturedOutput output) {
        assertThatThrownBy(() -> start("--rate-limiter.store=redis").close()).isInstanceOf(RuntimeException.class);
        assertThat(output)
                .contains(
                        "rate-limiter.store: 'redis' needs", "org.springframework.boot:spring-boot-starter-data-redis");
    }

    @Test
    void warnsWhereRedisIsNamedButCannotBeUsed(CapturedOutput output) {
        start("--spring.data.redis.host=redis").close();
        assertThat(output).contains("spring.data.redis.host is set", "spring-boot-starter-data-redis");
    }

    private static void inShop(Consumer<ConfigurableApplicationContext> test) {
        try (ConfigurableApplicationContext shop = start()) {
            test.accept(shop);
        }
    }

    private static ConfigurableApplicationContext start(String... more) {
        SpringApplication application = new SpringApplication(ShopApplication.class);
        String[] arguments = new String[more.length + 3];
        System.arraycopy(more, 0, arguments, 3, more.length);
        arguments[0] = "--server.port=0";
        arguments[1] = "--rate-limiter.max-requests=1";
        arguments[2] = "--spring.sql.init.schema-locations=classpath:shop.sql";
        return application.run(arguments);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext shop, String path) throws Exception {
        URI uri = URI.create("http://localhost:" + shop.getEnvironment().getProperty("local.server.port") + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Accept", "text/html")
                .header("Accept-Language", "de")
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, StarterAloneTest.class.getClassLoader());
    }
}
