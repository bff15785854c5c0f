package io.ratelimit.spring.testing;

import io.ratelimit.RateLimiter;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.security.reactive.ReactiveSecurityAutoConfiguration;
import org.springframework.boot.autoconfigure.security.reactive.ReactiveUserDetailsServiceAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A whole application on a web server and port of its own. */
public final class TestApp implements AutoCloseable {

    private static final String WITHOUT_SECURITY = String.join(
            ",",
            SecurityAutoConfiguration.class.getName(),
            SecurityFilterAutoConfiguration.class.getName(),
            UserDetailsServiceAutoConfiguration.class.getName(),
            "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration",
            ReactiveSecurityAutoConfiguration.class.getName(),
            ReactiveUserDetailsServiceAutoConfiguration.class.getName(),
            "org.springframework.boot.actuate.autoconfigure.security.reactive.ReactiveManagementWebSecurityAutoConfiguration");

    /** Settings for tests unless they say otherwise: Redis gets the time that it needs, and a test that ends waits for nothing. */
    private static final String[] DEFAULTS = {
        "rate-limiter.timeout=15s", "server.shutdown=immediate", "spring.data.redis.lettuce.shutdown-timeout=0ms"
    };

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {}

    private final ConfigurableApplicationContext context;
    private final String base;

    private TestApp(Stack stack, ConfigurableApplicationContext context) {
        this.context = context;
        this.base = "http://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + context.getEnvironment().getProperty(stack.basePath(), "");
    }

    /** Starts one of these configurations and properties, such as {@code rate-limiter.max-requests=5}. */
    public static TestApp start(List<Class<?>> configurations, String... properties) {
        return start(Stack.SERVLET, configurations, properties);
    }

    /** The same, of that kind. */
    public static TestApp start(Stack stack, List<Class<?>> configurations, String... properties) {
        return startWith(stack, configurations, "spring.autoconfigure.exclude=" + WITHOUT_SECURITY, properties);
    }

    /** The same, with Spring Security. */
    public static TestApp startSecured(List<Class<?>> configurations, String... properties) {
        return startSecured(Stack.SERVLET, configurations, properties);
    }

    /** The same, with Spring Security, of that kind. */
    public static TestApp startSecured(Stack stack, List<Class<?>> configurations, String... properties) {
        return startWith(stack, configurations, "spring.autoconfigure.exclude=", properties);
    }

    private static TestApp startWith(Stack stack, List<Class<?>> configurations, String first, String... properties) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--spring.main.web-application-type=" + stack.name().toLowerCase(Locale.ROOT));
        for (String property :
                List.of(first, "server.port=0", "spring.main.banner-mode=off", "spring.jmx.enabled=false")) {
            arguments.add("--" + property);
        }
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new TestApp(
                stack,
                new SpringApplicationBuilder(Everything.class)
                        .sources(configurations.toArray(Class<?>[]::new))
                        .sources(stack.server())
                        .properties(DEFAULTS)
                        .run(arguments.toArray(String[]::new)));
    }

    /** Waits until Redis decides, if the start has not. Closes the application if it does not come to that. */
    public TestApp onRedis() {
        try {
            Patience.awaitStore(bean(RateLimiter.class));
            return this;
        } catch (RuntimeException failed) {
            close();
            throw failed;
        }
    }

    public Answer get(String path, String... headers) {
        return send("GET", path, headers);
    }

    public Answer send(String method, String path, String... headers) {
        return Http.send(method, base + path, headers);
    }

    /** Sends a form. */
    public Answer post(String path, Map<String, String> form, String... headers) {
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + field.getValue())
                .collect(Collectors.joining("&"));
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Content-Type", "application/x-www-form-urlencoded"));
        return Http.post(base + path, body, all.toArray(String[]::new));
    }

    /** As {@link #send}, but the target goes out as it is. */
    public Answer raw(String method, String target, String... headers) {
        return RawHttp.send(port(), method, target, headers);
    }

    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public String property(String name) {
        return context.getEnvironment().getRequiredProperty(name);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Publishes an event to the application. */
    public void publish(Object event) {
        context.publishEvent(event);
    }

    @Override
    public void close() {
        context.close();
    }
}
