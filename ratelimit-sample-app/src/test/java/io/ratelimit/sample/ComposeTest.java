package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.yaml.snakeyaml.Yaml;

/** {@code compose.yaml} without containers: what it names is there, and its parts fit. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureObservability(tracing = false)
class ComposeTest {

    private static final Path ROOT = Path.of("..");
    private static final Path CONFIGURATION = Path.of("compose");

    private final Map<String, Map<String, Object>> services = services();

    @LocalServerPort
    private int port;

    @Test
    void everyMountedFileIsThere() throws IOException {
        String version = Files.readString(ROOT.resolve("pom.xml")).split("</?version>", 3)[1];
        List<String> mounts = new ArrayList<>();
        services.values().forEach(service -> mounts.addAll(list(service, "volumes")));

        for (String mount : mounts) {
            String source = mount.substring(0, mount.indexOf(':'));
            if (source.contains("/target/")) {
                assertThat(source).endsWith("/ratelimit-sample-app-" + version + ".jar");
            } else {
                assertThat(ROOT.resolve(source)).exists();
            }
        }
    }

    @Test
    void bothInstancesCountInTheRedisAndOnlyThisMachineReachesThem() {
        for (String instance : List.of("one", "two")) {
            assertThat(services.get(instance).get("environment")).isEqualTo(Map.of("SPRING_DATA_REDIS_HOST", "redis"));
        }
        assertThat(services).containsKey("redis");
        List<String> ports = new ArrayList<>();
        services.values().forEach(service -> ports.addAll(list(service, "ports")));
        assertThat(ports).doesNotHaveDuplicates().allMatch(published -> published.startsWith("127.0.0.1:"));
    }

    @Test
    void prometheusReadsWhatTheSampleShows() {
        Map<String, Object> job = first(yaml(CONFIGURATION.resolve("prometheus.yml")), "scrape_configs");
        assertThat(list(first(job, "static_configs"), "targets")).containsExactly("one:8080", "two:8080");

        String sample = "http://localhost:" + port;
        Http.send("GET", sample + "/check?userId=compose");
        assertThat(Http.send("GET", sample + job.get("metrics_path")).body())
                .contains("rate_limiter_decisions_total{limit=\"default\",outcome=\"allowed\",source=\"store\"}");
    }

    @Test
    void grafanaReadsPrometheusAndTheMountedDashboards() {
        Map<String, Object> source = first(yaml(CONFIGURATION.resolve("grafana/datasource.yml")), "datasources");
        assertThat(source).containsEntry("url", "http://prometheus:9090");
        assertThat(services).containsKey("prometheus");

        Map<String, Object> provider = first(yaml(CONFIGURATION.resolve("grafana/dashboards.yml")), "providers");
        Object path = ((Map<?, ?>) provider.get("options")).get("path");
        assertThat(list(services.get("grafana"), "volumes")).anyMatch(mount -> mount.contains(":" + path + ":"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> services() {
        return (Map<String, Map<String, Object>>)
                yaml(ROOT.resolve("compose.yaml")).get("services");
    }

    private static Map<String, Object> yaml(Path file) {
        try {
            return new Yaml().load(Files.readString(file));
        } catch (IOException missing) {
            throw new IllegalStateException(missing);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> first(Map<String, Object> parent, String key) {
        return ((List<Map<String, Object>>) parent.get(key)).get(0);
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Map<String, Object> parent, String key) {
        return (List<String>) parent.getOrDefault(key, List.of());
    }
}
