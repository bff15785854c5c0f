package io.ratelimit.testing;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * The Redis that all tests of a run share. {@code RATELIMIT_TEST_REDIS} chooses it: a {@code redis://} URI,
 * {@code docker} or {@code bundled}. By default it is a container if there is Docker, else {@code redis-server} from
 * the PATH, else the binary in a test dependency.
 */
public final class TestRedis {

    private static final Logger LOG = LoggerFactory.getLogger(TestRedis.class);
    private static final String IMAGE = "redis:7-alpine";

    private TestRedis() {}

    /** Returns its URI, such as {@code redis://127.0.0.1:6379}. Starts it at the first call. */
    public static String uri() {
        return Running.URI;
    }

    private static final class Running {
        static final String URI = start();

        private static String start() {
            String wanted = System.getenv().getOrDefault("RATELIMIT_TEST_REDIS", "");
            if (wanted.startsWith("redis://")) {
                return said(wanted, "RATELIMIT_TEST_REDIS names it");
            }
            if (wanted.equals("docker") || (wanted.isEmpty() && hasDocker())) {
                GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(6379);
                container.start();
                Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
                return said("redis://" + container.getHost() + ":" + container.getMappedPort(6379), "a container");
            }
            return said(RedisProcess.start().uri(), "a process of the tests' own");
        }

        private static boolean hasDocker() {
            return DockerClientFactory.instance().isDockerAvailable();
        }

        private static String said(String uri, String what) {
            LOG.info("Tests use the Redis at {}: {}", uri, what);
            return uri;
        }
    }
}
