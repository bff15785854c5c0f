package io.ratelimit.spring.internal.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.function.IntSupplier;

/** The writer of an {@link EndingResponse}. */
final class EndingWriter extends Writer {

    private final PrintWriter target;
    private final Charset charset;
    private final SentBody body;
    private final IntSupplier bufferSize;

    EndingWriter(PrintWriter target, Charset charset, SentBody body, IntSupplier bufferSize) {
        this.target = target;
        this.charset = charset;
        this.body = body;
        this.bufferSize = bufferSize;
    }

    /** Writes the last character apart if no buffer holds all, as {@link EndingStream} does the last byte. */
    @Override
    public void write(char[] characters, int from, int count) {
        int bytes = encoded(characters, from, count);
        if (body.endsWith(bytes) && bytes > bufferSize.getAsInt()) {
            int last = Character.charCount(Character.codePointBefore(characters, from + count, from));
            int lastBytes = encoded(characters, from + count - last, last);
            writeOnce(characters, from, count - last, bytes - lastBytes);
            writeOnce(characters, from + count - last, last, lastBytes);
        } else {
            writeOnce(characters, from, count, bytes);
        }
    }

    private void writeOnce(char[] characters, int from, int count, int bytes) {
        body.writing(bytes);
        target.write(characters, from, count);
    }

    /** Returns how many bytes these are; 0 if no length is declared, so that nobody asks. */
    private int encoded(char[] characters, int from, int count) {
        return body.hasLength() ? new String(characters, from, count).getBytes(charset).length : 0;
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
