package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.function.IntSupplier;

/** The stream of an {@link EndingResponse}. */
final class EndingStream extends ServletOutputStream {

    private final ServletOutputStream target;
    private final SentBody body;
    private final IntSupplier bufferSize;
    private volatile boolean isNonBlocking;

    EndingStream(ServletOutputStream target, SentBody body, IntSupplier bufferSize) {
        this.target = target;
        this.body = body;
        this.bufferSize = bufferSize;
    }

    @Override
    public void write(int one) throws IOException {
        body.writing(1);
        try {
            target.write(one);
        } catch (IOException failure) {
            throw body.failed(failure);
        }
    }

    /** Writes the last byte apart if no buffer holds all: it is sent while it is written, to a client that may read slowly. */
    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        if (body.endsWith(count) && count > bufferSize.getAsInt() && !isNonBlocking) {
            writeOnce(bytes, from, count - 1);
            writeOnce(bytes, from + count - 1, 1);
        } else {
            writeOnce(bytes, from, count);
        }
    }

    private void writeOnce(byte[] bytes, int from, int count) throws IOException {
        body.writing(count);
        try {
            target.write(bytes, from, count);
        } catch (IOException failure) {
            throw body.failed(failure);
        }
    }

    @Override
    public void flush() throws IOException {
        if (!body.flushing()) {
            return;
        }
        try {
            target.flush();
        } catch (IOException failure) {
            throw body.failed(failure);
        }
    }

    @Override
    public void close() throws IOException {
        body.closing();
        try {
            target.close();
        } catch (IOException failure) {
            throw body.failed(failure);
        }
    }

    @Override
    public boolean isReady() {
        return target.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        isNonBlocking = true;
        target.setWriteListener(new EndingListener(listener));
    }

    /** Hears before the application that the client has gone, because that may complete the request then. */
    private final class EndingListener implements WriteListener {

        private final WriteListener listener;
        private volatile boolean hasFailed;

        EndingListener(WriteListener listener) {
            this.listener = listener;
        }

        @Override
        public void onWritePossible() throws IOException {
            try {
                listener.onWritePossible();
            } catch (Throwable own) { // comes back as an error, and may be of another connection
                hasFailed = true;
                body.threw(own);
                throw own;
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (!hasFailed && failure instanceof IOException broken) {
                body.failed(broken);
            }
            listener.onError(failure);
        }
    }
}
