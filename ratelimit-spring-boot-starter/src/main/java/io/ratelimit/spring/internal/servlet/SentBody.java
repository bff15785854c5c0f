package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Counts what is written of a response's body, and frees the slots of its request when that is the length that is declared. Not
 * thread-safe.
 */
final class SentBody {

    /** The request of the chain, which is the one that a server marks as included. */
    private final HttpServletRequest request;

    private final HttpServletResponse response;
    private final ResponseEnd end;

    private long length = Long.MAX_VALUE;
    private long written;

    SentBody(HttpServletRequest request, HttpServletResponse response, ResponseEnd end) {
        this.request = request;
        this.response = response;
        this.end = end;
    }

    /**
     * Declares the length of the whole body, before the server knows it: Jetty sends at once what is written, if that is all. A
     * negative length says that it is unknown.
     */
    void declare(long bytes) {
        if (!isIncluding()) {
            length = bytes < 0 ? Long.MAX_VALUE : bytes;
            if (written > 0) {
                writing(0);
            }
        }
    }

    /** True while a part of the response is included: the server ignores its status, headers and length. */
    boolean isIncluding() {
        return request.getDispatcherType() == DispatcherType.INCLUDE;
    }

    boolean hasLength() {
        return length != Long.MAX_VALUE;
    }

    /** True if so many more bytes are the rest of the body. */
    boolean endsWith(long bytes) {
        return written + bytes >= length;
    }

    /** Counts what is about to be written. */
    void writing(long bytes) {
        written += bytes;
        if (written >= length) {
            end.freeSlots();
        }
    }

    /**
     * Returns true if what is written so far is to be sent. The headers of a response without a body are all of it. Those of HEAD
     * are held back while its handler is at work: a client that has them may send the next request, and would have any number
     * of handlers work for it.
     */
    boolean flushing() {
        boolean whole = written >= length || hasNoBody();
        if (whole) {
            end.beforeLastByte();
        }
        return whole || !request.getMethod().equals("HEAD") || request.isAsyncStarted();
    }

    private boolean hasNoBody() {
        int status = response.getStatus();
        return status == HttpServletResponse.SC_NO_CONTENT || status == HttpServletResponse.SC_NOT_MODIFIED;
    }

    /** Says that no more is written, maybe because an exception is on its way. */
    void closing() {
        end.freeSlots();
    }

    /** Ends the request, whose response cannot be sent. */
    IOException failed(IOException failure) {
        end.afterFailure();
        return failure;
    }

    /** Says that a listener of the application has thrown this to the server. */
    void threw(Throwable own) {
        end.threw(own);
    }

    /** Forgets what was written, and not sent. */
    void resetWritten() {
        written = 0;
    }

    /** Forgets the length, too. */
    void reset() {
        length = Long.MAX_VALUE;
        written = 0;
    }
}
