package io.ratelimit.benchmarks;

import io.ratelimit.testing.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** The sample application on that Redis, in a Java process of its own. */
final class SampleProcess implements AutoCloseable {

    private static final Path FOLDER = Path.of("ratelimit-sample-app", "target");

    private final Process process;
    private final int port;

    private SampleProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts it with these properties, and waits until it serves. */
    static SampleProcess start(RedisSite redis, String... properties) {
        int port = RedisProcess.freePort();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-jar",
                jar().toString(),
                "--server.port=" + port,
                "--server.tomcat.max-keep-alive-requests=-1",
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + redis.port()));
        Stream.of(properties).map(property -> "--" + property).forEach(command::add);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            awaitPort(port);
            return new SampleProcess(process, port);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start the sample application", failed);
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }

    private static void awaitPort(int port) {
        Awaitility.await("the sample application on port " + port)
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        return socket.isConnected();
                    }
                });
    }

    private static Path jar() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().matches("ratelimit-sample-app-.*\\.jar"))
                    .filter(file -> !file.toString().matches(".*-(sources|javadoc|tests)\\.jar"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException missing) {
            throw new UncheckedIOException(
                    "'%s' has no sample application: package it first".formatted(FOLDER), missing);
        }
    }
}
