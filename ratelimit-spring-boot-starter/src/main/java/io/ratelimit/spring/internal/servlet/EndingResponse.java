package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request before the last byte of its response is sent: a client that has the whole response may send its next
 * request at once, and finds free what the first one took. The last byte is known if the length is declared, if there is
 * no body, or when the body is closed; otherwise the server sends it when the filters have returned. A response that cannot be
 * sent ends its request, too. Not thread-safe.
 */
final class EndingResponse extends HttpServletResponseWrapper {

    /** The request of the chain, which is the one that a server marks as included. */
    private final HttpServletRequest request;

    private final ResponseEnd end;

    /** The declared length, and the bytes written so far. */
    private long length = Long.MAX_VALUE;

    private long written;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    EndingResponse(HttpServletRequest request, HttpServletResponse response, ResponseEnd end) {
        super(response);
        this.request = request;
        this.end = end;
    }

    private void wrote(long bytes) {
        written += bytes;
        if (written >= length) {
            end.beforeLastByte();
        }
    }

    /**
     * Returns true if what is written so far is to be sent. The headers of a response without a body are all of it. Those of HEAD
     * are held back while its handler is at work: a client that has them may send the next request, and would have any number
     * of handlers work for it.
     */
    private boolean flushing() {
        boolean whole = written >= length || hasNoBody();
        if (whole) {
            end.beforeLastByte();
        }
        return whole || !request.getMethod().equals("HEAD") || request.isAsyncStarted();
    }

    /** Some servers send an error or a redirect at once. */
    private void answering(int status, @Nullable String location) {
        if (!isCommitted() && !isIncluding()) {
            end.beforeAnswer(status, location);
        }
    }

    /** True while a part of the response is included: the server ignores its status, headers and length. */
    private boolean isIncluding() {
        return request.getDispatcherType() == DispatcherType.INCLUDE;
    }

    private IOException failed(IOException failure) {
        end.afterFailure(failure);
        return failure;
    }

    private boolean hasNoBody() {
        int status = getStatus();
        return status == SC_NO_CONTENT || status == SC_NOT_MODIFIED;
    }

    @Override
    public void setContentLength(int bytes) {
        declare(bytes);
        super.setContentLength(bytes);
    }

    @Override
    public void setContentLengthLong(long bytes) {
        declare(bytes);
        super.setContentLengthLong(bytes);
    }

    @Override
    public void setHeader(String name, String value) {
        declare(name, value);
        super.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        declare(name, value);
        super.addHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        declare(name, Integer.toString(value));
        super.setIntHeader(name, value);
    }

    @Override
    public void addIntHeader(String name, int value) {
        declare(name, Integer.toString(value));
        super.addIntHeader(name, value);
    }

    private void declare(String name, @Nullable String value) {
        if ("Content-Length".equalsIgnoreCase(name) && value != null && value.matches("\\d{1,18}")) {
            declare(Long.parseLong(value));
        }
    }

    /** A negative length says that it is unknown. */
    private void declare(long bytes) {
        if (!isIncluding()) {
            length = bytes < 0 ? Long.MAX_VALUE : bytes;
        }
    }

    @Override
    public void reset() {
        super.reset();
        length = Long.MAX_VALUE;
        written = 0;
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        written = 0;
    }

    @Override
    public void flushBuffer() throws IOException {
        if (!flushing()) {
            return;
        }
        try {
            super.flushBuffer();
        } catch (IOException failure) {
            throw failed(failure);
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        answering(status, null);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        answering(status, null);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        answering(SC_FOUND, location);
        super.sendRedirect(location);
    }

    /** A method of Servlet 6.1. The wrapper would pass it, and the two that follow, to the response without an end. */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (clearBuffer) {
            resetBuffer();
        }
        setStatus(status);
        setHeader("Location", location);
        flushBuffer();
    }

    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new EndingStream(super.getOutputStream());
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new PrintWriter(new EndingWriter(super.getWriter(), Charset.forName(getCharacterEncoding())));
        }
        return writer;
    }

    private final class EndingStream extends ServletOutputStream {

        private final ServletOutputStream target;
        private volatile boolean isNonBlocking;

        EndingStream(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int one) throws IOException {
            wrote(1);
            try {
                target.write(one);
            } catch (IOException failure) {
                throw failed(failure);
            }
        }

        /** What no buffer holds is sent while it is written, to a client that may read slowly. */
        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            if (count > getBufferSize() && written + count >= length && !isNonBlocking) {
                writeOnce(bytes, from, count - 1);
                writeOnce(bytes, from + count - 1, 1);
            } else {
                writeOnce(bytes, from, count);
            }
        }

        private void writeOnce(byte[] bytes, int from, int count) throws IOException {
            wrote(count);
            try {
                target.write(bytes, from, count);
            } catch (IOException failure) {
                throw failed(failure);
            }
        }

        @Override
        public void flush() throws IOException {
            if (!flushing()) {
                return;
            }
            try {
                target.flush();
            } catch (IOException failure) {
                throw failed(failure);
            }
        }

        @Override
        public void close() throws IOException {
            end.beforeLastByte();
            try {
                target.close();
            } catch (IOException failure) {
                throw failed(failure);
            }
        }

        @Override
        public boolean isReady() {
            return target.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            isNonBlocking = true;
            target.setWriteListener(listener);
        }
    }

    private final class EndingWriter extends Writer {

        private final PrintWriter target;
        private final Charset charset;

        EndingWriter(PrintWriter target, Charset charset) {
            this.target = target;
            this.charset = charset;
        }

        @Override
        public void write(char[] characters, int from, int count) {
            if (length != Long.MAX_VALUE) {
                wrote(new String(characters, from, count).getBytes(charset).length);
            }
            target.write(characters, from, count);
        }

        @Override
        public void flush() throws IOException {
            if (flushing() && target.checkError()) {
                throw failed(new IOException("the client has gone"));
            }
        }

        @Override
        public void close() {
            end.beforeLastByte();
            target.close();
        }
    }
}
