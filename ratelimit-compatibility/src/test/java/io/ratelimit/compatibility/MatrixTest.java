package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.CACHE;
import static io.ratelimit.compatibility.Part.DEVTOOLS;
import static io.ratelimit.compatibility.Part.JEDIS;
import static io.ratelimit.compatibility.Part.REACTIVE;
import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SECURITY;
import static io.ratelimit.compatibility.Part.SERVLET;
import static io.ratelimit.compatibility.Part.SERVLET_ON_JETTY;
import static io.ratelimit.compatibility.Part.SERVLET_ON_UNDERTOW;
import static io.ratelimit.compatibility.Part.SESSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ratelimit.compatibility.reactive.ReactiveApplication;
import io.ratelimit.compatibility.servlet.ServletApplication;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;

/** One jar on every line of Spring Boot. Each name is a row of the table in docs/compatibility.md. */
class MatrixTest {

    private static final String LINE = SpringBootVersion.getVersion().substring(0, 3);

    private static final String REDIS_URL = "spring.data.redis.url=" + TestRedis.uri();

    private static final String IN_REDIS = "Rate limits are counted in Redis";

    private final String user = UUID.randomUUID().toString();
    private final String keyPrefix = "rate-limiter.key-prefix=" + UUID.randomUUID();

    @Test
    @DisplayName("Servlet, no Redis on the class path")
    void servlet() {
        try (Application application = servlet(Set.of(SERVLET))) {
            holds(application);
            assertThat(application.get("/actuator/health").body()).contains("UP");
        }
    }

    @Test
    @Tag("smoke")
    @DisplayName("Servlet, Spring Security, Redis")
    void servletSecured() {
        try (Application one = servlet(Set.of(SERVLET, SECURITY, REDIS), REDIS_URL);
                Application other = servlet(Set.of(SERVLET, SECURITY, REDIS), REDIS_URL)) {
            awaitRedis(one, other);
            holds(one);
            assertThat(other.statuses("/check?userId=" + user, 1)).containsExactly(429);
            showsLimitsByActuator(other);
        }
    }

    @Test
    @Tag("smoke")
    @DisplayName("Servlet, virtual threads (JDK 21 or newer)")
    void virtualThreads() {
        try (Application application = servlet(Set.of(SERVLET), "spring.threads.virtual.enabled=true")) {
            assertThat(application.get("/routed").body().contains("VirtualThread"))
                    .isEqualTo(Runtime.version().feature() >= 21);
            assertThat(application.statuses("/routed", 2)).containsExactly(200, 429);
            assertThat(application.statuses("/check?userId=" + user, 6)).endsWith(200, 429);
        }
    }

    @Test
    @DisplayName("Servlet on Jetty, Redis")
    void jetty() {
        try (Application application = servlet(Set.of(SERVLET_ON_JETTY, REDIS), REDIS_URL)) {
            assertThat(application.log()).contains("Jetty started");
            holds(application);
        }
        refusedLogInsLetNobodyIn(SERVLET_ON_JETTY);
    }

    /** Undertow finds servlets by paths that it has not normalised, and Spring serves files by them. */
    @Test
    @DisplayName("Servlet on Undertow, which Spring Boot 4 has not")
    void undertow(@TempDir Path files) throws IOException {
        assumeTrue(LINE.equals("3.5"));
        Files.writeString(Files.createDirectory(files.resolve("dir")).resolve("page.html"), "a file");
        try (Application application = servlet(
                Set.of(SERVLET_ON_UNDERTOW),
                "spring.web.resources.static-locations=" + files.toUri(),
                "rate-limiter.routes.file.paths=/dir/page.html",
                "rate-limiter.routes.file.max-requests=100")) {
            assertThat(application.log()).contains("Undertow started");
            holds(application);
            List<Answer> served = Stream.of(
                            "/dir/page.html",
                            "//dir/page.html",
                            "/;/dir/page.html",
                            "/dir/page.html/.",
                            "/%2fdir/page.html",
                            "/%5cdir/page.html",
                            "/.;x/dir/page.html",
                            "/dir//page.html",
                            "/dir%2fpage.html",
                            "/dir/%2e/page.html;a=b")
                    .map(application::get)
                    .filter(answer -> answer.body().equals("a file"))
                    .toList();
            assertThat(served)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(answer -> assertThat(answer.header("RateLimit")).startsWith("\"file\";"));
        }
        refusedLogInsLetNobodyIn(SERVLET_ON_UNDERTOW);
    }

    /** A server may give the cookie of a session also to a response that was reset. */
    private void refusedLogInsLetNobodyIn(Part server) {
        try (Application application = servlet(
                Set.of(server, SECURITY),
                "own.log-in=true",
                "rate-limiter.routes.login.paths=/login",
                "rate-limiter.routes.login.max-requests=1")) {
            assertThat(application
                            .get("/account", "Cookie", cookie(application.logIn("password")))
                            .status())
                    .isEqualTo(404);
            Answer refused = application.logIn("password");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(application.get("/account", "Cookie", cookie(refused)).status())
                    .isEqualTo(302);
        }
    }

    private static String cookie(Answer answer) {
        String cookie = answer.header("Set-Cookie");
        return cookie == null ? "none=none" : cookie.substring(0, cookie.indexOf(';'));
    }

    @Test
    @DisplayName("Reactive, no Redis on the class path")
    void reactive() {
        try (Application application = reactive(Set.of(REACTIVE))) {
            holds(application);
            assertThat(application.statuses("/mine", 3)).containsExactly(200, 200, 429);
            assertThat(application.statuses("/blocking", 1)).containsExactly(500);
            assertThat(application.log()).contains("BlockingOperationError");
        }
    }

    @Test
    @Tag("smoke")
    @DisplayName("Reactive, Spring Security, Redis")
    void reactiveSecured() {
        try (Application one = reactive(Set.of(REACTIVE, SECURITY, REDIS), REDIS_URL);
                Application other = reactive(Set.of(REACTIVE, SECURITY, REDIS), REDIS_URL)) {
            awaitRedis(one, other);
            holds(one);
            assertThat(other.statuses("/check?userId=" + user, 1)).containsExactly(429);
            assertThat(one.statuses("/mine", 3)).containsExactly(200, 200, 429);
            assertThat(one.log()).doesNotContain("BlockingOperationError");
        }
    }

    @Test
    @DisplayName("Reactive, Redis away")
    void reactiveWhileRedisIsAway() {
        try (Application application = reactive(
                Set.of(REACTIVE, REDIS), "spring.data.redis.url=redis://127.0.0.1:" + RedisProcess.freePort())) {
            holds(application);
            assertThat(application.log()).doesNotContain("BlockingOperationError");
        }
    }

    @Test
    @DisplayName("Lazy initialization")
    void lazy() {
        try (Application application =
                servlet(Set.of(SERVLET, REDIS), REDIS_URL, "spring.main.lazy-initialization=true")) {
            holds(application);
        }
    }

    @Test
    @DisplayName("Devtools on the class path")
    void devtools() {
        try (Application application = servlet(Set.of(SERVLET, DEVTOOLS), "spring.devtools.livereload.enabled=false")) {
            assertThat(application.log()).contains("restartedMain");
            holds(application);
        }
    }

    @Test
    @DisplayName("Own connection factory")
    void ownConnectionFactory() {
        int port = URI.create(TestRedis.uri()).getPort();
        try (Application application = servlet(Set.of(SERVLET, REDIS), "own.redis.port=" + port)) {
            holds(application);
            assertThat(application.log()).contains(IN_REDIS);
        }
    }

    @Test
    @DisplayName("Jedis, with Lettuce beside it")
    void jedis() {
        try (Application application =
                servlet(Set.of(SERVLET, REDIS, JEDIS), REDIS_URL, "spring.data.redis.client-type=jedis")) {
            holds(application);
            assertThat(application.log()).contains(IN_REDIS);
        }
    }

    @Test
    @DisplayName("Processed ahead of time (spring.aot.enabled)")
    void aheadOfTime() {
        Set<Part> parts = Set.of(SERVLET, SECURITY, REDIS);
        try (Application application =
                Application.startProcessed(ServletApplication.class, parts, limited(REDIS_URL))) {
            assertThat(application.log()).contains("AOT-processed");
            holds(application);
            assertThat(application.log()).contains(IN_REDIS);
        }
    }

    @Test
    @DisplayName("The sample, processed ahead of time")
    void sampleAheadOfTime() {
        try (Application application =
                Application.startSampleProcessed(keyPrefix, REDIS_URL, "rate-limiter.timeout=2s")) {
            assertThat(application.log()).contains("AOT-processed", IN_REDIS);
            assertThat(application.statuses("/check?userId=" + user, 6)).containsExactly(200, 200, 200, 200, 200, 429);
            assertThat(application.statuses("/routes/orders", 4)).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    @DisplayName("Spring Session and a cache in the same Redis")
    void sessionAndCache() {
        try (Application application =
                servlet(Set.of(SERVLET, SECURITY, REDIS, SESSION, CACHE), REDIS_URL, "own.cache=redis")) {
            assertThat(application.get("/beside").body()).contains("springframework.session", "RedisCacheManager");
            holds(application);
        }
    }

    @Test
    @DisplayName("A mistake stops the start and says what to do")
    void saysWhatIsWrong() {
        assertThat(Application.failToStart(
                        ServletApplication.class, Set.of(SERVLET), "rate-limiter.limits.login.max-requests=0"))
                .contains("rate-limiter.limits.login", "max-requests '0'", "Action:");
    }

    @Test
    @Tag("smoke")
    void isTheLineThatTheModuleNames() {
        assertThat(System.getProperty("user.dir")).endsWith("boot-" + LINE);
    }

    /** A start waits two seconds for Redis, and goes on without. */
    private static void awaitRedis(Application... applications) {
        for (Application application : applications) {
            await().until(() -> {
                String health = application.get("/actuator/health").body();
                return health.contains("\"rateLimiter\":") && !health.contains("\"reason\":");
            });
        }
    }

    private void holds(Application application) {
        assertThat(application.statuses("/check?userId=" + user, 6)).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(application.statuses("/routed", 3)).containsExactly(200, 200, 429);
        assertThat(application.statuses("/private", 2)).containsExactly(200, 429);
        Answer refused = application.get("/routed");
        assertThat(refused.header("Retry-After")).isNotNull();
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("RateLimit")).startsWith("\"routed\";r=0;t=");
        Answer preflight = application.preflight("/routed");
        assertThat(preflight.status()).isNotEqualTo(429).isLessThan(500);
        assertThat(preflight.header("RateLimit")).isNull();
    }

    private void showsLimitsByActuator(Application application) {
        assertThat(application.get("/actuator/ratelimits").body())
                .contains("\"name\":\"default\"")
                .containsPattern("\"version\":\"\\d+\\.\\d+\\.\\d+");
        assertThat(application.log()).containsPattern(IN_REDIS + ".* \\(ratelimit \\d+\\.\\d+\\.\\d+");
        assertThat(application.get("/actuator/ratelimits/param:userId:" + user).body())
                .contains("\"remaining\":0");
        assertThat(application.get("/actuator/metrics/rate.limiter.decisions").body())
                .contains("\"statistic\":\"COUNT\",\"value\":1.0");
        assertThat(application
                        .get("/actuator/ratelimits?path=/routed&address=203.0.113.7")
                        .body())
                .contains("\"refusedBy\":[]", "\"subject\":\"ip:203.0.113.7\"");
        assertThat(application.get("/actuator/ratelimits?method=GET").status()).isEqualTo(400);
        assertThat(application.get("/actuator/health").body()).contains("\"rateLimiter\":");
    }

    private Application servlet(Set<Part> parts, String... properties) {
        return Application.start(ServletApplication.class, parts, limited(properties));
    }

    private Application reactive(Set<Part> parts, String... properties) {
        return Application.start(ReactiveApplication.class, parts, limited(properties));
    }

    private String[] limited(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                keyPrefix,
                "spring.security.user.name=user",
                "spring.security.user.password=password",
                "server.netty.max-keep-alive-requests=1", // https://github.com/reactor/reactor-netty/issues/4361
                "management.endpoints.web.exposure.include=health,ratelimits,metrics",
                "management.endpoint.health.show-details=always",
                "management.health.redis.enabled=false",
                "rate-limiter.max-requests=5",
                "rate-limiter.timeout=2s",
                "rate-limiter.routes.routed.paths=/routed",
                "rate-limiter.routes.routed.max-requests=2",
                "rate-limiter.routes.routed.key=ip",
                "rate-limiter.routes.private.paths=/private",
                "rate-limiter.routes.private.max-requests=1",
                "rate-limiter.routes.private.key=principal",
                "rate-limiter.routes.moved.paths=/moved",
                "rate-limiter.routes.moved.max-requests=2"));
        all.addAll(List.of(properties));
        return all.toArray(String[]::new);
    }
}
