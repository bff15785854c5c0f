package io.ratelimit.spring.internal.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/** The writer of an {@link EndingResponse}. */
final class EndingWriter extends Writer {

    private final PrintWriter target;
    private final Charset charset;
    private final SentBody body;

    EndingWriter(PrintWriter target, Charset charset, SentBody body) {
        this.target = target;
        this.charset = charset;
        this.body = body;
    }

    @Override
    public void write(char[] characters, int from, int count) {
        if (body.hasLength()) {
            body.writing(new String(characters, from, count).getBytes(charset).length);
        }
        target.write(characters, from, count);
    }

    /** Flushes before it asks for errors, which flushes, too: filters watch the former to add what a response needs. */
    @Override
    public void flush() throws IOException {
        if (body.flushing()) {
            target.flush();
            if (target.checkError()) {
                throw body.failed(new IOException("the client has gone"));
            }
        }
    }

    @Override
    public void close() {
        body.closing();
        target.close();
    }
}
