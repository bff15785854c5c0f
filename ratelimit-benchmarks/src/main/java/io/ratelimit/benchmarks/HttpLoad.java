package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Connections that each ask for the next answer as soon as they have one; as plain as can be, to leave the cores alone. */
record HttpLoad(int port, int connections) {

    private static final byte[] REQUEST = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
            .formatted(TrivialApplication.PATH)
            .getBytes(StandardCharsets.US_ASCII);

    Sample run(Pace pace) {
        DecisionMeter meter = new DecisionMeter(pace);
        List<Thread> clients = Stream.generate(() -> new Thread(() -> ask(meter)))
                .limit(connections)
                .toList();
        clients.forEach(Thread::start);
        return meter.measure(() -> clients.forEach(Threads::join));
    }

    private void ask(DecisionMeter meter) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            byte[] buffer = new byte[8_192];
            long askedNanos = System.nanoTime();
            while (meter.isRunning()) {
                out.write(REQUEST);
                askedNanos =
                        meter.count(answer(socket.getInputStream(), buffer).startsWith("HTTP/1.1 200"), askedNanos);
            }
        } catch (IOException | RuntimeException failed) {
            meter.spoil(failed);
        }
    }

    /** All that comes up to the body, which ends the answer. */
    private static String answer(InputStream in, byte[] buffer) throws IOException {
        int length = 0;
        while (!endsWithBody(buffer, length)) {
            int read = in.read(buffer, length, buffer.length - length);
            if (read <= 0) {
                throw new UncheckedIOException(new IOException("the answer ended early"));
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
