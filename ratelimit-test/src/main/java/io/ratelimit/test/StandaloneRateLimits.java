package io.ratelimit.test;

import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.ServletRateLimiterAutoConfiguration;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.context.support.TestPropertySourceUtils;
import org.springframework.test.web.servlet.setup.ConfigurableMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcConfigurer;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Limits annotated controllers in a standalone {@code MockMvc}, which has no application around them. Routes need an
 * application or a {@code @WebMvcTest} slice. An exception handler of the test goes before the answer 429. Thread-safe.
 *
 * <pre>{@code
 * StandaloneRateLimits limits = StandaloneRateLimits.of("rate-limiter.max-requests=5");
 * MockMvc mvc = standaloneSetup(limits.limited(new OrderController())).apply(limits).build();
 * }</pre>
 */
public final class StandaloneRateLimits implements MockMvcConfigurer, AutoCloseable {

    private final GenericWebApplicationContext context = new GenericWebApplicationContext(new MockServletContext());
    private final TestClock clock;

    private StandaloneRateLimits(String... properties) {
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, properties);
        new AnnotatedBeanDefinitionReader(context)
                .register(
                        RateLimiterAutoConfiguration.class,
                        RateLimitedAutoConfiguration.class,
                        ServletRateLimiterAutoConfiguration.class);
        clock = TestStore.addTo(context);
        context.refresh();
    }

    /**
     * Starts limits in memory.
     *
     * @param properties such as {@code rate-limiter.max-requests=5}
     * @throws RuntimeException if the properties cannot work; the message is that of an application's start
     */
    public static StandaloneRateLimits of(String... properties) {
        return new StandaloneRateLimits(properties);
    }

    /** Returns the controller with the limits of its annotations. */
    @SuppressWarnings("unchecked") // a proxy is of the bean's own class
    public <T> T limited(T controller) {
        return (T) context.getAutowireCapableBeanFactory()
                .initializeBean(controller, controller.getClass().getName());
    }

    /** Returns the time of the limits. */
    public TestClock clock() {
        return clock;
    }

    @Override
    public void afterConfigurerAdded(ConfigurableMockMvcBuilder<?> builder) {
        builder.addFilters((Filter) (request, response, chain) -> {
            try {
                chain.doFilter(request, response);
            } catch (ServletException failure) {
                answer(failure, (HttpServletRequest) request, (HttpServletResponse) response);
            }
        });
    }

    private void answer(ServletException failure, HttpServletRequest request, HttpServletResponse response)
            throws ServletException {
        HandlerExceptionResolver refusals =
                context.getBean("rateLimiterLastRefusalResolver", HandlerExceptionResolver.class);
        if (!(failure.getCause() instanceof Exception cause)
                || refusals.resolveException(request, response, null, cause) == null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
