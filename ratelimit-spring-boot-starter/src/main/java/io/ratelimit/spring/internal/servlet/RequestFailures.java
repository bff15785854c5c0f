package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.rule.Ending;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/** The exceptions of a request, which it keeps for its end. */
final class RequestFailures {

    private static final String ANSWERED = RequestFailures.class.getName() + ".answered";
    private static final String BROKEN_OFF = RequestFailures.class.getName() + ".brokenOff";
    private static final String LEFT = RequestFailures.class.getName() + ".left";
    private static final String OF_LISTENER = RequestFailures.class.getName() + ".ofListener";
    private static final String GONE = RequestFailures.class.getName() + ".gone";

    private RequestFailures() {}

    /** Keeps an exception that Spring MVC or a filter is about to answer, for the end of its request. */
    static void answering(HttpServletRequest request, HttpServletResponse response, Exception failure) {
        keep(ANSWERED, failure, request, response);
    }

    /**
     * Keeps an exception that leaves a filter, for the end of its request: it counts, whatever answers it. One that leaves a whole
     * forward is as any other that a handler may answer by itself.
     */
    static void leaving(
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
        if (response.isCommitted() && !endsByItsTime(failure, response)) { // no handler can change what the client sees
            request.setAttribute(BROKEN_OFF, true);
        }
    }

    /** A stream of events has no end of its own: Spring MVC ends it regularly when its time is over, and its client comes again. */
    private static boolean endsByItsTime(Throwable failure, HttpServletResponse response) {
        return failure instanceof AsyncRequestTimeoutException && Ending.isOfEvents(response.getContentType());
    }

    /** Keeps what a listener of the application has thrown to the server, which passes it to all that listen, in any dispatch. */
    static void threw(HttpServletRequest request, Throwable own) {
        request.setAttribute(OF_LISTENER, own);
    }

    /** True if a listener of the application has thrown this. */
    static boolean isOfListener(HttpServletRequest request, Throwable failure) {
        return request.getAttribute(OF_LISTENER) == failure;
    }

    /** The client has gone: the response could not be sent, and what fails from now on is not kept. */
    static void gone(HttpServletRequest request) {
        request.setAttribute(GONE, true);
    }

    /** True if the response could not be sent. What a failure says is not believed: a partner's connection breaks, too. */
    static boolean hasGone(HttpServletRequest request) {
        return request.getAttribute(GONE) != null;
    }

    /** True if the application has failed after its response had begun. */
    static boolean isBrokenOff(HttpServletRequest request) {
        return request.getAttribute(BROKEN_OFF) != null;
    }

    /** Returns the one that the application has answered; null if there was none. */
    static @Nullable Throwable answered(HttpServletRequest request) {
        return kept(ANSWERED, request);
    }

    /** Returns the one that has left a filter; null if there was none. */
    static @Nullable Throwable left(HttpServletRequest request) {
        return kept(LEFT, request);
    }

    private static @Nullable Throwable kept(String name, HttpServletRequest request) {
        return request.getAttribute(name) instanceof Throwable failure ? failure : null;
    }
}
