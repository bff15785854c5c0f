package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Connections that each ask for the next answer as soon as they have one, in the name of any of the users; as plain as can
 * be, to leave the cores alone. Runs from its start until it is closed.
 */
final class HttpLoad implements AutoCloseable {

    private final byte[][] requests;
    private final List<Thread> clients;
    private final LongAdder answered = new LongAdder();
    private final AtomicReference<@Nullable Throwable> spoiled = new AtomicReference<>();
    private volatile boolean running = true;

    HttpLoad(int port, int connections, String path, int users) {
        requests = IntStream.range(0, users)
                .mapToObj(user -> "GET %s HTTP/1.1\r\nHost: localhost\r\n%s: user%d\r\n\r\n"
                        .formatted(path, TrivialApplication.USER, user)
                        .getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
        clients = Stream.generate(() -> Threads.platform(() -> ask(port)))
                .limit(connections)
                .toList();
    }

    /** Returns how many answers came so far. */
    long answered() {
        return answered.sum();
    }

    /** Waits until that many answers have come. */
    void await(long answers) {
        while (answered() < answers && spoiled.get() == null) {
            DecisionMeter.sleep(Duration.ofMillis(1));
        }
    }

    /** @throws IllegalStateException if an answer was missing, or not 200 */
    @Override
    public void close() {
        running = false;
        clients.forEach(Threads::join);
        Throwable cause = spoiled.get();
        if (cause != null) {
            throw new IllegalStateException("the load was spoiled", cause);
        }
    }

    private void ask(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            byte[] buffer = new byte[8_192];
            while (running) {
                out.write(requests[ThreadLocalRandom.current().nextInt(requests.length)]);
                String status = answer(socket.getInputStream(), buffer);
                if (!status.startsWith("HTTP/1.1 200")) {
                    throw new IllegalStateException("'%s' instead of 200".formatted(status));
                }
                answered.increment();
            }
        } catch (IOException | RuntimeException failed) {
            spoiled.compareAndSet(null, failed);
            running = false;
        }
    }

    /** Returns the beginning of an answer once its body has come, which ends it. */
    private static String answer(InputStream in, byte[] buffer) throws IOException {
        int length = 0;
        while (!endsWithBody(buffer, length)) {
            int read = in.read(buffer, length, buffer.length - length);
            if (read <= 0) {
                throw new UncheckedIOException(new IOException("the answer ended early: '%s'"
                        .formatted(new String(buffer, 0, Math.min(length, 16), StandardCharsets.US_ASCII))));
            }
            length += read;
        }
        return new String(buffer, 0, 16, StandardCharsets.US_ASCII);
    }

    private static boolean endsWithBody(byte[] buffer, int length) {
        int start = length - TrivialApplication.BODY.length();
        for (int i = 0; i < TrivialApplication.BODY.length(); i++) {
            if (start < 16 || buffer[start + i] != TrivialApplication.BODY.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
