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

/** A Spring Boot application on that Redis, in a Java process of its own. */
public final class ApplicationProcess implements AutoCloseable {

    private static final Path SAMPLE = Path.of("ratelimit-sample-app", "target");

    private final Process process;
    private final int port;

    private ApplicationProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts the sample application with these properties, and waits until it serves. */
    public static ApplicationProcess sample(RedisSite redis, String... properties) {
        return start(List.of("-jar", jar().toString()), redis, properties);
    }

    /** Starts an application of this class path with these properties, and waits until it serves. */
    public static ApplicationProcess of(Class<?> main, RedisSite redis, String... properties) {
        return start(List.of("-cp", System.getProperty("java.class.path"), main.getName()), redis, properties);
    }

    private static ApplicationProcess start(List<String> application, RedisSite redis, String... properties) {
        int port = RedisProcess.freePort();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx512m");
        command.addAll(application);
        Stream.of(
                        "server.port=" + port,
                        "server.tomcat.max-keep-alive-requests=-1",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port())
                .map(property -> "--" + property)
                .forEach(command::add);
        Stream.of(properties).map(property -> "--" + property).forEach(command::add);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            awaitPort(process, port);
            return new ApplicationProcess(process, port);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start '%s'".formatted(String.join(" ", application)), failed);
        }
    }

    public int port() {
        return port;
    }

    /** Returns the processor time that the process took so far. */
    Duration cpuTime() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() {
        process.destroy();
    }

    private static void awaitPort(Process process, int port) {
        Awaitility.await("an application on port " + port)
                .atMost(Duration.ofMinutes(2))
                .failFast("it has ended", () -> !process.isAlive())
                .ignoreExceptions()
                .until(() -> {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        return socket.isConnected();
                    }
                });
    }

    private static Path jar() {
        try (Stream<Path> files = Files.list(SAMPLE)) {
            return files.filter(file -> file.getFileName().toString().matches("ratelimit-sample-app-.*\\.jar"))
                    .filter(file -> !file.toString().matches(".*-(sources|javadoc|tests)\\.jar"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException missing) {
            throw new UncheckedIOException(
                    "'%s' has no sample application: package it first".formatted(SAMPLE), missing);
        }
    }
}
