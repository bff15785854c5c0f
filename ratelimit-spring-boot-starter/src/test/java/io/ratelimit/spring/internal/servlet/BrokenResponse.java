package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The response to a client that has left: nothing can be sent. */
final class BrokenResponse extends HttpServletResponseWrapper {

    BrokenResponse(HttpServletResponse response) {
        super(response);
    }

    @Override
    public void flushBuffer() throws IOException {
        throw new IOException("Connection reset by peer");
    }

    @Override
    public PrintWriter getWriter() {
        return new PrintWriter(getOutputStream(), false, StandardCharsets.UTF_8);
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {

            @Override
            public void write(int one) throws IOException {
                flushBuffer();
            }

            @Override
            public void flush() throws IOException {
                flushBuffer();
            }

            @Override
            public void close() throws IOException {
                flushBuffer();
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {}
        };
    }
}
