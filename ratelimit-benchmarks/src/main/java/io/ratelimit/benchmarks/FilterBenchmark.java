package io.ratelimit.benchmarks;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.LimitProvider;
import io.ratelimit.spring.PlanResolver;
import io.ratelimit.spring.autoconfigure.MetricsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.ServletRateLimiterAutoConfiguration;
import io.ratelimit.spring.internal.servlet.RateLimitFilter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.MapPropertySource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

/** A decision in memory through the servlet filter, without a server around it. Run by {@link JmhTrial}. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class FilterBenchmark {

    private static final FilterChain NOTHING = (request, response) -> {};

    /** An addition to an application with a route. */
    public enum Addition {
        NOTHING("nothing added"),
        METERS("meters"),
        PLAN("a plan, which a PlanResolver names"),
        PROVIDER("numbers of a LimitProvider, looked up before");

        final String text;

        Addition(String text) {
            this.text = text;
        }
    }

    @Param("NOTHING")
    public Addition with;

    private AnnotationConfigWebApplicationContext context;
    private RateLimitFilter filter;

    @Setup
    public void start() {
        context = new AnnotationConfigWebApplicationContext();
        context.setServletContext(new MockServletContext());
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("benchmark", properties()));
        switch (with) {
            case NOTHING -> {}
            case METERS -> context.register(Metered.class, MetricsRateLimiterAutoConfiguration.class);
            case PLAN -> context.register(Planned.class);
            case PROVIDER -> context.register(Provided.class);
        }
        context.register(
                RateLimiterAutoConfiguration.class,
                RateLimitedAutoConfiguration.class,
                ServletRateLimiterAutoConfiguration.class);
        context.refresh();
        if (with == Addition.METERS) { // as actuator does
            context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry()));
        }
        filter =
                (RateLimitFilter) context.getBean("rateLimiterRoutesBeforeAuthentication", FilterRegistrationBean.class)
                        .getFilter();
    }

    private Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "rate-limiter.store", "in-memory",
                "rate-limiter.limits.ping.use-algo", "token-bucket",
                "rate-limiter.limits.ping.max-requests", "1000000000",
                "rate-limiter.routes.ping.paths", "/ping",
                "rate-limiter.routes.ping.limits", "ping",
                "rate-limiter.routes.ping.key", "ip"));
        if (with == Addition.PLAN) {
            properties.put("rate-limiter.plan", "gold");
            properties.put("rate-limiter.limits.ping.plans.gold.max-requests", "900000000");
        }
        return properties;
    }

    @TearDown
    public void stop() {
        if (with == Addition.METERS
                && registry().get("rate.limiter.decisions").counter().count() < 1_000) {
            throw new IllegalStateException("nothing was counted");
        }
        context.close();
    }

    @Benchmark
    @Threads(1)
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public int decision() throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/ping");
        request.setServletPath("/ping");
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, NOTHING);
        return response.getStatus();
    }

    private MeterRegistry registry() {
        return context.getBean(MeterRegistry.class);
    }

    static class Planned {
        @Bean
        PlanResolver gold() {
            return request -> "gold";
        }
    }

    static class Provided {
        @Bean
        LimitProvider numbers() {
            Optional<LimitProvider.Numbers> numbers = Optional.of(LimitProvider.Numbers.of(900_000_000L));
            return (limit, subject) -> numbers;
        }
    }

    static class Metered {
        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }
}
