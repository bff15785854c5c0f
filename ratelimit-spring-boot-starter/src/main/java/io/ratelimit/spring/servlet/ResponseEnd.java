package io.ratelimit.spring.servlet;

import io.ratelimit.spring.rule.CallEnds;
import io.ratelimit.spring.rule.Ending;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Ends a request with its response: when the filter chain returns, or when the asynchronous processing that began there is
 * complete. Registered only for requests that have something to end.
 */
final class ResponseEnd implements AsyncListener {

    private final CallEnds ends;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private volatile boolean failed;

    ResponseEnd(CallEnds ends, HttpServletRequest request, HttpServletResponse response) {
        this.ends = ends;
        this.request = request;
        this.response = response;
    }

    /**
     * Called when the chain has returned.
     *
     * @param open how many were open before. A filter ends what was added behind it, but after an asynchronous dispatch
     *     all, because the filters of the original request have returned long ago
     * @param thrown whether the chain ended with an exception
     */
    void afterChain(int open, boolean thrown) {
        failed = thrown;
        boolean dispatched = request.getDispatcherType() == DispatcherType.ASYNC;
        if (thrown || !request.isAsyncStarted()) {
            end(dispatched ? 0 : open);
        } else {
            request.getAsyncContext().addListener(this);
        }
    }

    private void end(int kept) {
        ends.end(kept, Ending.response(failed, response.getStatus(), response::getHeader));
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end(0);
    }

    @Override
    public void onError(AsyncEvent event) {
        failed = true;
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    /** A new asynchronous processing of the same request forgets the listeners of the one before. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
