package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.rule.CallEnds;
import io.ratelimit.spring.internal.rule.Ending;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Ends a request with its response: when the filter chain returns, or when the asynchronous processing that began there is
 * complete. Registered only for requests that have something to end.
 */
final class ResponseEnd implements AsyncListener {

    /** {@code DispatcherServlet.EXCEPTION_ATTRIBUTE}; as text, because Spring MVC is optional. */
    private static final String ANSWERED = "org.springframework.web.servlet.DispatcherServlet.EXCEPTION";

    private final CallEnds ends;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final boolean begun;
    private volatile @Nullable Throwable thrown;

    /** @param begun whether the response had begun before the chain was called */
    ResponseEnd(CallEnds ends, HttpServletRequest request, HttpServletResponse response, boolean begun) {
        this.ends = ends;
        this.request = request;
        this.response = response;
        this.begun = begun;
    }

    /**
     * Called when the chain has returned.
     *
     * @param open how many were open before. A filter ends what was added behind it, but after an asynchronous dispatch
     *     all, because the filters of the original request have returned long ago
     * @param failure the exception that the chain ended with; null if it returned
     */
    void afterChain(int open, @Nullable Throwable failure) {
        thrown = failure;
        boolean dispatched = request.getDispatcherType() == DispatcherType.ASYNC;
        if (failure != null || !request.isAsyncStarted()) {
            end(dispatched ? 0 : open);
        } else {
            request.getAsyncContext().addListener(this);
        }
    }

    private void end(int kept) {
        ends.end(kept, ending());
    }

    private Ending ending() {
        Throwable failure = thrown;
        if (failure != null) {
            return hasLeft(failure) ? cutOff() : Ending.thrown(failure, response::getHeader);
        }
        Throwable answered = answered();
        if (answered != null && response.isCommitted() && hasLeft(answered)) {
            return cutOff();
        }
        return answered != null && begun // so that no handler could change what the client sees
                ? Ending.thrown(answered, response::getHeader)
                : Ending.response(response.getStatus(), answered, response::getHeader);
    }

    private Ending cutOff() {
        return Ending.cutOff(response.isCommitted() ? response.getStatus() : null, response::getHeader);
    }

    private static boolean hasLeft(Throwable failure) {
        return DisconnectedClientHelper.isClientDisconnectedException(failure);
    }

    /** What an exception handler of Spring MVC has answered. */
    private @Nullable Throwable answered() {
        return request.getAttribute(ANSWERED) instanceof Throwable failure ? failure : null;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end(0);
    }

    /**
     * Ends at once if the client has left. Tomcat says nothing more about a request whose response failed before the thread
     * that began it had returned.
     */
    @Override
    public void onError(AsyncEvent event) {
        Throwable failure = event.getThrowable();
        thrown = failure;
        if (failure != null && hasLeft(failure)) {
            ends.close(ending());
        }
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    /** A new asynchronous processing of the same request forgets the listeners of the one before. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
