package io.ratelimit.spring.servlet;

import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.key.ClientAddresses;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request of this thread. Thread-safe. */
public final class ServletCurrentRequest implements CurrentRequest {

    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;

    public ServletCurrentRequest(RateLimitHeaders headers, ClientAddresses addresses) {
        this.headers = headers;
        this.addresses = addresses;
    }

    @Override
    public @Nullable RequestView view() {
        ServletRequestAttributes attributes = attributes();
        return attributes == null ? null : new ServletRequestView(attributes.getRequest(), addresses);
    }

    @Override
    public Consumer<Decision> response() {
        ServletRequestAttributes attributes = attributes();
        HttpServletResponse response = attributes == null ? null : attributes.getResponse();
        if (attributes == null || response == null) {
            return decision -> {};
        }
        return decision -> ServletExchange.writeHeaders(headers, decision, attributes.getRequest(), response);
    }

    private static @Nullable ServletRequestAttributes attributes() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes servlet ? servlet : null;
    }
}
