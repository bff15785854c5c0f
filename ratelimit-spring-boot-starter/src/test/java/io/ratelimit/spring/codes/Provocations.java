package io.ratelimit.spring.codes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.redis.RedisMistakes;
import io.ratelimit.spring.testing.Authenticating;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.StartFailure;
import io.ratelimit.spring.testing.TestApp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.web.client.RestClient;
import org.springframework.web.servlet.DispatcherServlet;

/** Makes the mistake of each code. A code without a branch does not compile. */
final class Provocations {

    private static final String[] ROUTE = {"routes.r.paths=/api/**", "routes.r.max-requests=5"};

    private static final String[] CLIENT = {
        "limits.partner.max-requests=5", "clients.p.hosts=api.example.com", "clients.p.limits=partner"
    };

    private Provocations() {}

    /** What Spring Boot prints about the start that fails, or all warnings in the log. */
    static List<String> of(MessageCode code) {
        return switch (code) {
            case LIMIT_NUMBERS_INVALID -> error("max-requests=0");
            case BURST_NOT_SUPPORTED -> error("max-requests=5", "burst=9");
            case MAX_REQUESTS_MISSING -> error("limits.a.use-algo=fixed-window");
            case ALGORITHM_INVALID -> error("use-algo=leaky");
            case LIMIT_UNKNOWN -> error("routes.r.paths=/api", "routes.r.limits=a");
            case LIMIT_NAME_TAKEN -> error("max-requests=3", "limits.default.max-requests=9");
            case COST_INVALID -> routeError("cost=0");
            case COST_TOO_LARGE -> routeError("cost=6");
            case PROPERTY_UNKNOWN -> error("max-request=5");
            case VALUE_UNREADABLE -> error("store=mongo");
            case VALUE_MISPLACED -> error("limits=5");
            case PLACEHOLDER_UNRESOLVED -> error("key=header:${no.such}");
            case NAME_INVALID -> error("limits.a.b.max-requests=5");
            case SETTING_INVALID -> error("timeout=0");
            case OBSERVATION_REGISTRY_MISSING -> error("observations=true");
            case BAN_INVALID -> error("limits.login.max-requests=5", "limits.login.ban.after=3");
            case PLAN_INVALID -> error("limits.api.max-requests=5", "limits.api.plans.gold.unlimited=false");
            case ACCESS_INVALID -> error("deny=10.0.0.0/33");
            case LIMIT_UNUSED -> warnings("limits.a.max-requests=5");
            case WINDOW_TOO_SHORT_FOR_HEADERS -> routeWarnings("window-size=100ms");
            case VARIABLE_MISNAMED ->
                warnings(web().withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource(
                                        "systemEnvironment", Map.of("RATE_LIMITER_MAX_REQUESTS", "5")))));
            case EVERYBODY_TRUSTED -> warnings("trusted-proxies=::/0");
            case PLAN_OF_CLIENT ->
                warnings(web().withPropertyValues(below(ROUTE))
                        .withPropertyValues(
                                "rate-limiter.routes.r.plans.gold.max-requests=9",
                                "rate-limiter.routes.r.plan=#request.header('X-Plan')"));
            case EVERYBODY_LISTED -> warnings("deny=0.0.0.0/0");
            case PROXY_ALLOWED -> warnings("trusted-proxies=10.0.0.0/8", "allow=10.1.0.0/16");

            case REFRESH_INVALID -> refreshed("limits.a.max-requests=0");
            case REFRESH_NOT_FOLLOWED -> refreshed("timeout=7s");
            case OVERRIDE_UNFIT -> FailingCalls.overrideThatDoesNotFit();

            case ROUTE_WITHOUT_PATHS -> error("routes.r.max-requests=5");
            case ROUTE_WITHOUT_LIMITS -> error("routes.r.paths=/api");
            case LEVELS_INVALID -> routeError("levels[0].key=ip");
            case PATH_INVALID -> routeError("paths=GET /api");
            case METHOD_INVALID -> routeError("methods=GTE");
            case ROUTES_WITHOUT_SPRING_WEB ->
                failure(web().withPropertyValues(below(ROUTE))
                        .withClassLoader(new FilteredClassLoader(DispatcherServlet.class)));
            case WEBSOCKET_NOT_IN_FLIGHT ->
                failure(web().withUserConfiguration(Mistakes.WebSocket.class)
                        .withPropertyValues(
                                "rate-limiter.routes.r.paths=/**",
                                "rate-limiter.routes.r.use-algo=concurrency",
                                "rate-limiter.routes.r.max-requests=2"));
            case ROUTES_WITHOUT_REQUESTS -> warnings(Contexts.plain().withPropertyValues(below(ROUTE)));
            case PATH_NOT_SERVED ->
                warnings(web().withPropertyValues(below(ROUTE)).withPropertyValues("server.servlet.context-path=/api"));
            case ROUTES_CHARGE_TWICE ->
                warnings("max-requests=5", "routes.r.paths=/api", "routes.r.limits=default,default");

            case PRINCIPAL_KNOWN_LATE -> latePrincipal();

            case FALLBACK_METHOD_INVALID -> failure(with(Mistakes.NoSuchFallback.class));
            case NAME_WITHOUT_LIMIT -> failure(with(Mistakes.NameAlone.class));
            case ANNOTATIONS_CHARGE_TWICE -> failure(with(Mistakes.TheSameTwice.class));
            case METHOD_NOT_PROXIED -> failure(with(Mistakes.FinalMethod.class));
            case BEAN_NOT_PROXIED -> failure(with(Mistakes.LimitedAdvisor.class));
            case KEY_NEEDS_REACTIVE_RETURN -> failure(Contexts.reactive().withBean(Mistakes.Blocking.class));
            case END_NOT_KNOWN ->
                failure(with(Mistakes.HandedOver.class).withUserConfiguration(Mistakes.HandingOver.class));
            case THREAD_BLOCKED -> FailingCalls.blockedThread();

            case KEY_INVALID -> error("key=user");
            case EXPRESSION_INVALID -> routeError("condition=true;");
            case EXPRESSION_NAME_UNKNOWN -> routeError("condition=#amount > 100");
            case CONDITION_NOT_BOOLEAN -> routeError("condition='yes'");
            case ELEMENT_INVALID -> routeError("element=global");
            case KEY_FAILED -> FailingCalls.failedKey();
            case KEY_WITHOUT_REQUEST -> FailingCalls.keyWithoutRequest();
            case COST_FAILED -> FailingCalls.failedCost();
            case CONDITION_FAILED -> FailingCalls.failedCondition();
            case ACTUAL_COST_UNKNOWN -> FailingCalls.unknownActualCost();
            case ELEMENT_ABSENT -> FailingCalls.absentElement();
            case ELEMENTS_DIFFER -> FailingCalls.differentElements();
            case PLAN_UNKNOWN -> FailingCalls.unknownPlan();
            case STREAM_WITHOUT_COST -> FailingCalls.streamWithoutCost();
            case PARAMETER_IN_BODY -> FailingCalls.parameterInBody();
            case ADDRESSES_CONTRADICT -> FailingCalls.contradictoryAddresses();
            case PROVIDER_FAILS -> FailingCalls.failedProvider();
            case LEVELS_WITHOUT_SUBJECT -> FailingCalls.noLevel();

            case REDIS_LIBRARY_MISSING ->
                failure(web().withPropertyValues(below("store=redis"))
                        .withClassLoader(new FilteredClassLoader("io.lettuce")));
            case CONNECTION_FACTORY_UNCLEAR -> failure(RedisMistakes.twoFactories("redis"));
            case JEDIS_SETTINGS_UNREADABLE -> failure(RedisMistakes.jedisWithSocketFactory());
            case LETTUCE_SETTINGS_UNREADABLE -> List.of(StartFailure.text(RedisMistakes.unreadableSettings()));
            case STORE_FAILS, REDIS_UNREACHABLE -> RedisMistakes.unreachable(code);
            case REDIS_SILENT -> RedisMistakes.silent(code);
            case REDIS_REFUSES -> RedisMistakes.refuses(code);
            case REDIS_EVICTS -> RedisMistakes.evicts(code);
            case COUNTS_APART ->
                warnings(web().withPropertyValues(below("store=in-memory"))
                        .withPropertyValues("spring.data.redis.host=redis"));
            case CONNECTION_FACTORY_IGNORED -> warnings(RedisMistakes.twoFactories("auto"));
            case HEALTH_FOLLOWS_REDIS -> warnings(RedisMistakes.checkedForHealth(web()));

            case CLIENT_HOST_INVALID -> clientError("hosts=https://api.example.com");
            case CLIENT_LIMITS_INVALID -> clientError("limits=");
            case CLIENT_SETTING_INVALID -> clientError("obey=everything");
            case CLIENTS_WITHOUT_CUSTOMIZERS ->
                failure(web().withPropertyValues(below(CLIENT))
                        .withClassLoader(new FilteredClassLoader(
                                "feign",
                                "org.springframework.boot.web.client",
                                "org.springframework.boot.web.reactive.function.client")));

            case CLIENT_URL_WITHOUT_HOST -> urlWithoutHost();

            case LISTENER_FAILED -> FailingCalls.failedListener();
            case OBSERVATION_FAILED -> FailingCalls.failedObservation();
            case ERROR_VIEW_FAILED -> FailingCalls.failedErrorView();
        };
    }

    private static List<String> latePrincipal() {
        try (TestApp app = TestApp.start(List.of(Authenticating.behind(Stack.SERVLET)), below(ROUTE));
                LogCapture log = LogCapture.start()) {
            app.get("/api", Authenticating.USER, "alice");
            return log.messages(Level.WARN);
        }
    }

    private static List<String> urlWithoutHost() {
        try (LogCapture log = LogCapture.start()) {
            web().withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class))
                    .withPropertyValues(below(CLIENT))
                    .run(context -> {
                        RestClient client =
                                context.getBean(RestClient.Builder.class).build();
                        assertThatThrownBy(() ->
                                        client.get().uri("/things").retrieve().toBodilessEntity())
                                .isNotNull();
                    });
            return log.messages(Level.WARN);
        }
    }

    private static List<String> refreshed(String changed) {
        try (LogCapture log = LogCapture.start()) {
            web().run(context -> {
                TestPropertyValues.of(below(changed)).applyTo(context);
                context.publishEvent(new EnvironmentChangeEvent(Set.of()));
            });
            return log.messages(Level.WARN);
        }
    }

    /** Without a sign of several instances, wherever the tests run themselves. */
    private static WebApplicationContextRunner web() {
        return Contexts.web().withPropertyValues("spring.main.cloud-platform=none");
    }

    private static ApplicationContextRunner with(Class<?> bean) {
        return Contexts.plain()
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .withBean(bean);
    }

    private static List<String> error(String... properties) {
        return failure(web().withPropertyValues(below(properties)));
    }

    private static List<String> routeError(String property) {
        return failure(web().withPropertyValues(below(ROUTE)).withPropertyValues("rate-limiter.routes.r." + property));
    }

    private static List<String> clientError(String property) {
        return failure(
                web().withPropertyValues(below(CLIENT)).withPropertyValues("rate-limiter.clients.p." + property));
    }

    private static List<String> warnings(String... properties) {
        return warnings(web().withPropertyValues(below(properties)));
    }

    private static List<String> routeWarnings(String property) {
        return warnings(web().withPropertyValues(below(ROUTE)).withPropertyValues("rate-limiter.routes.r." + property));
    }

    private static String[] below(String... properties) {
        return Arrays.stream(properties).map("rate-limiter."::concat).toArray(String[]::new);
    }

    private static List<String> failure(
            AbstractApplicationContextRunner<?, ?, ? extends ApplicationContextAssertProvider<?>> contexts) {
        List<String> texts = new ArrayList<>();
        contexts.run(context -> texts.add(StartFailure.text(context.getStartupFailure())));
        return texts;
    }

    private static List<String> warnings(
            AbstractApplicationContextRunner<?, ?, ? extends ApplicationContextAssertProvider<?>> contexts) {
        try (LogCapture log = LogCapture.start()) {
            contexts.run(context -> assertThat(context.getStartupFailure()).isNull());
            return log.messages(Level.WARN);
        }
    }
}
