package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.PendingRoutes;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request with its response: before the last byte is sent where that is known, else when the filter chain returns, or
 * when the asynchronous processing that began there is complete. Listens to that only if there is something to end.
 */
final class ResponseEnd implements AsyncListener {

    private static final String ANSWERED = ResponseEnd.class.getName() + ".answered";
    private static final String BROKEN_OFF = ResponseEnd.class.getName() + ".brokenOff";
    private static final String LEFT = ResponseEnd.class.getName() + ".left";
    private static final String GONE = ResponseEnd.class.getName() + ".gone";

    private final OpenCall call;
    private final PendingRoutes pending;

    /** Whether no other of our filters is at work before this one. */
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

    /** Keeps an exception that Spring MVC or a filter is about to answer, for the end of its request. */
    static void answering(HttpServletRequest request, HttpServletResponse response, Exception failure) {
        keep(ANSWERED, failure, request, response);
    }

    /**
     * Keeps an exception that leaves a filter, for the end of its request: it counts, whatever answers it. One that leaves a whole
     * forward is as any other that a handler may answer by itself.
     */
    static void left(
            HttpServletRequest request, HttpServletResponse response, Throwable failure, boolean isFirstOfChain) {
        if (isFirstOfChain && request.getDispatcherType() == DispatcherType.FORWARD && !response.isCommitted()) {
            request.removeAttribute(LEFT);
        } else {
            keep(LEFT, failure, request, response);
        }
    }

    private static void keep(String name, Throwable failure, HttpServletRequest request, HttpServletResponse response) {
        if (hasGone(request)) {
            return;
        }
        request.setAttribute(name, failure);
        if (response.isCommitted()) { // so that no handler can change what the client sees
            request.setAttribute(BROKEN_OFF, true);
        }
    }

    /** Returns the request for the chain, and with it the response. */
    EndingRequest request() {
        return new EndingRequest(request, response, this);
    }

    /** Called when all that follows is the last byte of the response, or nothing. */
    void beforeLastByte() {
        pending.closeWithResponse(call, ending());
    }

    /** Called before a response that the server makes of a status alone, and the location of a redirect. */
    void beforeAnswer(int status, @Nullable String location) {
        pending.closeWithResponse(
                call,
                response(
                        status,
                        name -> location != null && name.equals("Location") ? location : response.getHeader(name)));
    }

    /**
     * Called when the response cannot be sent, because the client has gone. What asynchronous processing is under way may never
     * complete: Jetty tells its listeners nothing. A chain that has not returned ends the request itself.
     */
    void afterFailure() {
        request.setAttribute(GONE, true);
        if (request.isAsyncStarted()) {
            pending.close(call, ending());
        }
    }

    /** Called when a task of the application's asynchronous processing has failed. */
    void afterTask(Throwable failure) {
        thrown = failure;
        pending.close(call, ending());
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
        Throwable left = kept(LEFT);
        boolean isBrokenOff = request.getAttribute(BROKEN_OFF) != null;
        if (hasGone(request) && left == null && !isBrokenOff) {
            return Ending.cutOff(
                    response.isCommitted() ? response.getStatus() : null, kept(ANSWERED), response::getHeader);
        }
        if (failure == null && isBrokenOff) {
            failure = left == null ? kept(ANSWERED) : left;
        }
        if (failure == null) {
            return response(response.getStatus(), response::getHeader);
        }
        return response.isCommitted()
                ? Ending.brokenOff(failure, response::getHeader)
                : Ending.thrown(failure, response::getHeader);
    }

    private Ending response(int status, Function<String, @Nullable String> header) {
        Throwable left = kept(LEFT);
        return left == null
                ? Ending.response(status, kept(ANSWERED), header)
                : Ending.answeredElsewhere(status, left, header);
    }

    /** True if the response could not be sent. What a failure says is not believed: a partner's connection breaks, too. */
    private static boolean hasGone(HttpServletRequest request) {
        return request.getAttribute(GONE) != null;
    }

    private @Nullable Throwable kept(String name) {
        return request.getAttribute(name) instanceof Throwable failure ? failure : null;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        pending.close(call, ending());
    }

    /**
     * Ends at once if the client has gone: an {@link IOException} here is that of the connection, because what the application
     * throws ends the chain first. Tomcat says nothing more about a request whose response failed before the thread that
     * began it had returned, or whose stream of HTTP/2 was reset.
     */
    @Override
    public void onError(AsyncEvent event) {
        if (event.getThrowable() instanceof IOException) {
            request.setAttribute(GONE, true);
            pending.close(call, ending());
        } else {
            thrown = event.getThrowable();
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
