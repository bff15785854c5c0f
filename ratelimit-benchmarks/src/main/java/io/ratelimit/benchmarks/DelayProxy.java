package io.ratelimit.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Stands between clients and a server and delays each direction by half a round trip. It runs in a process of its own,
 * where the contenders' garbage collections do not stop it.
 */
public final class DelayProxy implements AutoCloseable {

    private final Process process;
    private final int port;

    private DelayProxy(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    public static DelayProxy start(int serverPort, Duration roundTrip) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                DelayProxy.class.getName(),
                Integer.toString(serverPort),
                Long.toString(roundTrip.toNanos() / 2));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
            return new DelayProxy(process, Integer.parseInt(said.readLine()));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start the delaying proxy", failed);
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }

    /** Called by {@link #start}: the server's port, and the delay of a direction in ns. */
    public static void main(String[] args) throws IOException {
        wakePrecisely();
        endWithParent();
        try (ServerSocket clients = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            System.out.println(clients.getLocalPort());
            while (true) {
                Socket client = clients.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                DelayLine.start(client, server, Long.parseLong(args[1]));
                DelayLine.start(server, client, Long.parseLong(args[1]));
            }
        }
    }

    /** Linux wakes a parked thread up to 50 µs late unless it, or the thread that started it, asks for less. */
    private static void wakePrecisely() {
        try {
            Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc").resolve(thread).resolve("timerslack_ns"), "1");
        } catch (IOException notLinux) {
            // delays are longer then; the report prints what was measured
        }
    }

    private static void endWithParent() {
        Thread watch = new Thread(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException closed) {
                // ends below
            }
            System.exit(0);
        });
        watch.setDaemon(true);
        watch.start();
    }
}
