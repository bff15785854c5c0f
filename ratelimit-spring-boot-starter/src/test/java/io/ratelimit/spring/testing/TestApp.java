package io.ratelimit.spring.testing;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
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
            "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {}

    private final ConfigurableApplicationContext context;
    private final String base;

    private TestApp(ConfigurableApplicationContext context) {
        this.context = context;
        this.base = "http://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + context.getEnvironment().getProperty("server.servlet.context-path", "");
    }

    /** Starts one of these configurations and properties, such as {@code rate-limiter.max-requests=5}. */
    public static TestApp start(List<Class<?>> configurations, String... properties) {
        return startWith(configurations, "spring.autoconfigure.exclude=" + WITHOUT_SECURITY, properties);
    }

    /** The same, with Spring Security. */
    public static TestApp startSecured(List<Class<?>> configurations, String... properties) {
        return startWith(configurations, "spring.autoconfigure.exclude=", properties);
    }

    private static TestApp startWith(List<Class<?>> configurations, String first, String... properties) {
        List<String> arguments = new ArrayList<>();
        for (String property :
                List.of(first, "server.port=0", "spring.main.banner-mode=off", "spring.jmx.enabled=false")) {
            arguments.add("--" + property);
        }
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new TestApp(new SpringApplicationBuilder(Everything.class)
                .sources(configurations.toArray(Class<?>[]::new))
                .run(arguments.toArray(String[]::new)));
    }

    public Answer get(String path, String... headers) {
        return send("GET", path, headers);
    }

    public Answer send(String method, String path, String... headers) {
        return Http.send(method, base + path, headers);
    }

    /** As {@link #send}, but the target goes out as it is. */
    public Answer raw(String method, String target, String... headers) {
        return RawHttp.send(port(), method, target, headers);
    }

    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
