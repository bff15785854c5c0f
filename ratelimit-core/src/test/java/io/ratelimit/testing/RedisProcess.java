package io.ratelimit.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import redis.embedded.util.JarUtil;
import redis.embedded.util.OSDetector;

/**
 * A Redis server of the tests' own: {@code redis-server} from the PATH, else the binary that a test dependency carries.
 */
public final class RedisProcess implements AutoCloseable {

    private final Process process;
    private final int port;

    private RedisProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on a free port and waits until it accepts connections. */
    public static RedisProcess start(String... options) {
        return startOn(freePort(), options);
    }

    public static RedisProcess startOn(int port, String... options) {
        try {
            Path folder = Files.createTempDirectory("ratelimit-redis");
            List<String> command = new ArrayList<>(List.of(binary().toString()));
            if (List.of(options).contains("--sentinel")) {
                command.add(Files.createFile(folder.resolve("sentinel.conf")).toString());
            }
            command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
            if (!command.contains(folder.resolve("sentinel.conf").toString())) {
                // else a master waits 5 s for further replicas before it copies itself to the first
                command.addAll(List.of("--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"));
            }
            command.addAll(List.of(options));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("redis.log").toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            awaitPort(port);
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

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new IllegalStateException("no free port", failed);
        }
    }

    private static void awaitPort(int port) {
        Awaitility.await("Redis on port " + port)
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptions()
                .until(() -> {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        return socket.isConnected();
                    }
                });
    }

    private static Path binary() throws IOException {
        Path installed = onPath();
        return installed != null && !"bundled".equals(System.getenv("RATELIMIT_TEST_REDIS")) ? installed : Bundled.PATH;
    }

    private static Path onPath() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(path)
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** Unpacked once, at the first use. */
    private static final class Bundled {
        static final Path PATH = unpack();

        private static Path unpack() {
            String system = switch (OSDetector.getOS()) {
                case UNIX -> "linux";
                case MAC_OS_X -> "darwin";
                default ->
                    throw new IllegalStateException("no Redis is bundled for " + OSDetector.getOS()
                            + ": set RATELIMIT_TEST_REDIS to a redis:// URI");
            };
            String name = "redis-server-7.0.15-" + system + "-"
                    + System.getProperty("os.arch").replace("aarch64", "arm64").replace("x86_64", "amd64");
            try {
                File file = JarUtil.extractExecutableFromJar(name);
                return file.toPath();
            } catch (IOException missing) {
                throw new IllegalStateException(
                        "'" + name + "' is not bundled: set RATELIMIT_TEST_REDIS to a redis:// URI", missing);
            }
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
