package io.ratelimit.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Redis server of the tests' own. */
public final class RedisProcess implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisProcess.class);
    private static final int ATTEMPTS = 5;
    private static final Pattern READY = Pattern.compile("Ready to accept connections|Sentinel ID is");

    private final Process process;
    private final int port;

    private RedisProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on a free port and waits until it accepts connections. */
    public static RedisProcess start(String... options) {
        return startOn(RedisProcess::freePort, options);
    }

    /** The same, on the first of these ports that no other process takes before it. */
    static RedisProcess startOn(IntSupplier ports, String... options) {
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            try {
                return startOn(ports.getAsInt(), options);
            } catch (IllegalStateException taken) {
                LOG.info("Another attempt to start a Redis", taken);
            }
        }
        return startOn(ports.getAsInt(), options);
    }

    /** Starts one on that port and waits until it accepts connections. */
    public static RedisProcess startOn(int port, String... options) {
        try {
            Path folder = Files.createTempDirectory("ratelimit-redis");
            List<String> command = new ArrayList<>(List.of(RedisBinary.path().toString()));
            if (List.of(options).contains("--sentinel")) {
                command.add(Files.createFile(folder.resolve("sentinel.conf")).toString());
            }
            command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
            if (!command.contains(folder.resolve("sentinel.conf").toString())) {
                // else a master waits 5 s for further replicas before it copies itself to the first
                command.addAll(List.of("--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"));
            }
            command.addAll(List.of(options));
            Path log = folder.resolve("redis.log");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            awaitReady(process, log);
            return new RedisProcess(process, port);
        } catch (IOException failed) {
            throw new IllegalStateException("cannot start a Redis for the tests", failed);
        }
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, such as {@code STOP} to make it hang and {@code CONT} to let it go on. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException failed) {
            throw new IllegalStateException("cannot send " + name, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns a port below those that systems give to clients, any of which could take that of a server which a test stops
     * and starts again.
     */
    public static int freePort() {
        return ThreadLocalRandom.current()
                .ints(10_000, 20_000)
                .filter(RedisProcess::isFree)
                .findFirst()
                .orElseThrow();
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** What it says, because behind its port could be another. */
    private static void awaitReady(Process process, Path log) throws IOException {
        Awaitility.await("Redis")
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !process.isAlive()
                        || READY.matcher(Files.readString(log)).find());
        if (!process.isAlive()) {
            throw new IllegalStateException("Redis has ended: " + Files.readString(log));
        }
    }

    /** Apart from those of limiters, which a callback of a test may block. */
    private static final class Asking {
        static final ClientResources THREADS = SharedThreads.create();
    }

    /** What it answers on a connection for this question only. */
    public <T> T ask(Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(Asking.THREADS, RedisURI.create(uri()));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }
}
