package io.ratelimit.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import redis.embedded.util.JarUtil;
import redis.embedded.util.OSDetector;

/** The {@code redis-server} of the PATH, else the one that a test dependency carries. */
final class RedisBinary {

    private RedisBinary() {}

    static Path path() throws IOException {
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
}
