package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.PendingRoutes;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a request with its response: before the last byte is sent where that is known, else when the filter chain returns, or
 * when the asynchronous processing that began there is complete. Listens to that only if there is something to end.
 */
final class ResponseEnd implements AsyncListener {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseEnd.class);

    private final OpenCall call;
    private final PendingRoutes pending;

    /** True if no other of our filters is at work before this one. */
    private final boolean isFirst;

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private volatile @Nullable Throwable thrown;

    ResponseEnd(OpenCall call, PendingRoutes pending, HttpServletRequest request, HttpServletResponse response) {
        this.call = call;
        this.pending = pending;
        this.isFirst = pending.begins();
        this.request = request;
        this.response = response;
    }

    /** Returns the request for the chain, and with it the response. */
    EndingRequest request() {
        return new EndingRequest(request, response, this);
    }

    /** Called when all that follows is the last byte of the response, or nothing. */
    void beforeLastByte() {
        unlessForgotten(() -> pending.closeWithResponse(call, ending()));
    }

    /** Called when the response looks complete, and may be sent, while its handler is at work: what counts is how that ends. */
    void freeSlots() {
        pending.freeSlots(call);
    }

    /**
     * Called when the response cannot be sent, because the client has gone. What asynchronous processing is under way may never
     * complete: Jetty tells its listeners nothing. A chain that has not returned ends the request itself.
     */
    void afterFailure() {
        unlessForgotten(() -> {
            RequestFailures.gone(request);
            if (request.isAsyncStarted()) {
                pending.close(call, ending());
            }
        });
    }

    /**
     * Does nothing if the server has ended the request, as this listener then has, too: Tomcat lets no thread ask for anything from
     * then on, and Jetty has forgotten it. What the application gets is the server's own exception.
     */
    private static void unlessForgotten(Runnable ending) {
        try {
            ending.run();
        } catch (IllegalStateException | NullPointerException forgotten) {
            LOG.debug("The server has ended a request already: {}", forgotten.toString());
        }
    }

    /** Called when a task of the application's asynchronous processing has failed. */
    void afterTask(Throwable failure) {
        thrown = failure;
        pending.close(call, ending());
    }

    /** Called when a listener of the application has thrown this. */
    void threw(Throwable own) {
        RequestFailures.threw(request, own);
    }

    /**
     * Called when the chain has returned. What it ended with may still be answered by a filter before this one, as Spring
     * Security's: the first of ours then ends the call, too.
     *
     * @param failure the exception that the chain ended with; null if it returned
     */
    void afterChain(@Nullable Throwable failure) {
        if (isFirst) {
            pending.ended();
        }
        if (!call.isSettledLater() && !pending.areSettledLater()) {
            return;
        }
        if (failure != null && !isFirst) {
            pending.leaveOpen(call);
            return;
        }
        thrown = failure;
        if (failure == null && request.isAsyncStarted()) {
            pending.leaveOpen(call);
            if (listens()) {
                return;
            }
        }
        call.close(ending());
        if (isFirst) {
            pending.closeLeft(ending());
        }
    }

    /** Returns false if another thread has just completed the request, to which Undertow lets nobody listen any more. */
    private boolean listens() {
        try {
            request.getAsyncContext().addListener(this);
            return true;
        } catch (IllegalStateException complete) {
            return false;
        }
    }

    private Ending ending() {
        Throwable failure = thrown;
        Throwable left = RequestFailures.left(request);
        boolean isBrokenOff = RequestFailures.isBrokenOff(request);
        if (RequestFailures.hasGone(request) && left == null && !isBrokenOff) {
            return Ending.cutOff(
                    response.isCommitted() ? response.getStatus() : null,
                    RequestFailures.answered(request),
                    response::getHeader);
        }
        if (failure == null && isBrokenOff) {
            failure = left == null ? RequestFailures.answered(request) : left;
        }
        if (failure != null) {
            return response.isCommitted()
                    ? Ending.brokenOff(failure, response::getHeader)
                    : Ending.thrown(failure, response::getHeader);
        }
        return left == null
                ? Ending.response(response.getStatus(), RequestFailures.answered(request), response::getHeader)
                : Ending.answeredElsewhere(response.getStatus(), left, response::getHeader);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        pending.close(call, ending());
    }

    /**
     * Ends at once if the client has gone: an {@link IOException} here is that of the connection, or of a listener of the
     * application, because all else that the application throws ends the chain first. Tomcat says nothing more about a request
     * whose response failed before the thread that began it had returned, or whose stream of HTTP/2 was reset.
     */
    @Override
    public void onError(AsyncEvent event) {
        Throwable failure = event.getThrowable();
        if (failure instanceof IOException && !RequestFailures.isOfListener(request, failure)) {
            RequestFailures.gone(request);
            pending.close(call, ending());
        } else {
            thrown = failure;
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
