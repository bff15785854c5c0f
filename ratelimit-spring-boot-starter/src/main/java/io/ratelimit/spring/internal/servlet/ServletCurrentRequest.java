package io.ratelimit.spring.internal.servlet;

import io.micrometer.context.ThreadLocalAccessor;
import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.CarriedAttributes;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.ResponseLimits;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The servlet request of this thread. Thread-safe. */
public final class ServletCurrentRequest implements CurrentRequest {

    private static final ThreadLocal<ServletRequestAttributes> PROPAGATED = new ThreadLocal<>();
    private static final String LIMITS = ServletCurrentRequest.class.getName() + ".limits";

    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;

    public ServletCurrentRequest(RateLimitHeaders headers, ClientAddresses addresses) {
        this.headers = headers;
        this.addresses = addresses;
    }

    /** Returns the limits that the response shows. */
    static ResponseLimits limits(HttpServletRequest request) {
        synchronized (request) { // an endpoint may make limited calls in parallel
            if (request.getAttribute(LIMITS) instanceof ResponseLimits limits) {
                return limits;
            }
            ResponseLimits limits = new ResponseLimits();
            request.setAttribute(LIMITS, limits);
            return limits;
        }
    }

    /** Tells the application which limits that only report the request exceeds. */
    static void report(Decision decision, HttpServletRequest request) {
        if (!decision.reported().isEmpty() && !decision.exceeded().isEmpty()) {
            synchronized (request) {
                request.setAttribute(
                        RequestView.EXCEEDED_LIMITS,
                        ResponseLimits.exceeded(request.getAttribute(RequestView.EXCEEDED_LIMITS), decision));
            }
        }
    }

    @Override
    public @Nullable RequestView view() {
        ServletRequestAttributes attributes = attributes();
        return attributes == null
                ? null
                : new RequestOfThread(new ServletRequestView(attributes.getRequest(), addresses), attributes);
    }

    @Override
    public Consumer<Decision> response(Class<?> bean) {
        ServletRequestAttributes attributes = attributes();
        if (attributes == null) {
            return decision -> {};
        }
        HttpServletRequest request = attributes.getRequest();
        HttpServletResponse response = attributes.getResponse();
        Object handler = handler(request);
        if (response == null || !ResponseLimits.showThoseOf(bean, handler)) {
            return decision -> {
                if (!RequestLife.isOver(attributes)) {
                    report(decision, request);
                }
            };
        }
        ResponseLimits limits = limits(request);
        BiConsumer<String, String> setter = ExposedHeaders.setter(request, response);
        return decision -> {
            if (!RequestLife.isOver(attributes)) {
                report(decision, request);
                ServerThreadInterceptor.set(
                        request, () -> isDispatched(handler), () -> limits.tryShow(decision, headers, setter));
            }
        };
    }

    private static @Nullable Object handler(HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
    }

    /** True if the response is written when the server's thread has left: a stream begins without waiting for that. */
    private static boolean isDispatched(@Nullable Object handler) {
        if (!(handler instanceof HandlerMethod method)) {
            return false;
        }
        Class<?> returned = method.getReturnType().getParameterType();
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
        return CompletionStage.class.isAssignableFrom(returned) || (adapter != null && !adapter.isMultiValue());
    }

    /** Null if the thread has no request, or one that is over. */
    private static @Nullable ServletRequestAttributes attributes() {
        ServletRequestAttributes attributes =
                RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes servlet
                        ? CarriedAttributes.originalOf(servlet)
                        : PROPAGATED.get();
        return attributes == null || RequestLife.isOver(attributes) ? null : attributes;
    }

    /**
     * Lets Micrometer's context propagation tell other threads the request that they work for, for the limiter alone. Spring for
     * GraphQL propagates to the threads of fields below an asynchronous one. Thread-safe.
     */
    public static final class Propagation implements ThreadLocalAccessor<ServletRequestAttributes> {

        @Override
        public Object key() {
            return ServletCurrentRequest.class.getName();
        }

        @Override
        public @Nullable ServletRequestAttributes getValue() {
            return attributes();
        }

        @Override
        public void setValue(ServletRequestAttributes request) {
            PROPAGATED.set(request);
        }

        @Override
        public void setValue() {
            PROPAGATED.remove();
        }

        /** Leaves out the request that Spring has set for the thread, and takes away itself: kept here, it would stay on the thread. */
        @Override
        public void restore(ServletRequestAttributes previous) {
            if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes own
                    && own.getRequest() == previous.getRequest()) {
                PROPAGATED.remove();
            } else {
                PROPAGATED.set(previous);
            }
        }
    }
}
