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
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.yaml.snakeyaml.Yaml;

/** {@code compose.yaml} without containers: what it names is there, and its parts fit. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureMetrics
class ComposeTest {

    private static final Path ROOT = Path.of("..");
    private static final Path CONFIGURATION = Path.of("compose");

    private final Map<String, Map<String, Object>> services = services();

    @LocalServerPort
    private int port;

    @Test
    void everyMountedPathIsThereBeforeDockerMakesIt() {
        assertThat(all("volumes"))
                .isNotEmpty()
                .allSatisfy(mount -> assertThat(source(mount)).exists());
        assertThat(all("volumes")).noneMatch(mount -> mount.contains("/target"));
    }

    @Test
    void bothInstancesRunTheJarThatIsBuiltOnTheOneRedis() throws IOException {
        assertThat(Files.readString(ROOT.resolve("compose.yaml"))).doesNotContain("SNAPSHOT");
        for (String instance : List.of("one", "two")) {
            assertThat(services.get(instance))
                    .containsEntry(
                            "command", List.of("sh", "-c", "exec java -jar /sample/target/ratelimit-sample-app-*.jar"))
                    .containsEntry("environment", Map.of("SPRING_DATA_REDIS_HOST", "redis"));
            assertThat(list(services.get(instance), "volumes")).containsExactly("./ratelimit-sample-app:/sample:ro");
        }
        assertThat(services.keySet()).containsAll(all("depends_on")).contains("redis");
    }

    @Test
    void onlyThisMachineReachesWhatTheCommentsName() throws IOException {
        assertThat(all("ports"))
                .containsExactlyInAnyOrder(
                        "127.0.0.1:8080:8080", "127.0.0.1:8081:8080", "127.0.0.1:9090:9090", "127.0.0.1:3000:3000");
        assertThat(Files.readString(ROOT.resolve("compose.yaml")))
                .contains("http://localhost:8080", "http://localhost:8081", "http://localhost:3000");
    }

    @Test
    void everyImageHasATagThatStays() {
        assertThat(services.values())
                .allSatisfy(
                        service -> assertThat(service.get("image").toString()).matches(".+:[v0-9].+"));
    }

    @Test
    void prometheusReadsWhatTheSampleShows() {
        Map<String, Object> job = first(yaml(CONFIGURATION.resolve("prometheus.yml")), "scrape_configs");
        assertThat(list(first(job, "static_configs"), "targets")).containsExactly("one:8080", "two:8080");
        for (String file : list(yaml(CONFIGURATION.resolve("prometheus.yml")), "rule_files")) {
            assertThat(list(services.get("prometheus"), "volumes"))
                    .anyMatch(mount -> mount.endsWith("/" + file + ":/etc/prometheus/" + file + ":ro"));
        }

        String sample = "http://localhost:" + port;
        Http.send("GET", sample + "/check?userId=compose");
        assertThat(Http.send("GET", sample + job.get("metrics_path")).body())
                .contains(
                        "rate_limiter_decisions_total{limit=\"default\",outcome=\"allowed\",plan=\"none\",source=\"store\"}");
    }

    @Test
    void grafanaReadsPrometheusAndTheMountedDashboards() {
        Map<String, Object> source = first(yaml(CONFIGURATION.resolve("grafana/datasource.yml")), "datasources");
        assertThat(source).containsEntry("url", "http://prometheus:9090");
        assertThat(services).containsKey("prometheus");

        Map<String, Object> provider = first(yaml(CONFIGURATION.resolve("grafana/dashboards.yml")), "providers");
        Object path = ((Map<?, ?>) provider.get("options")).get("path");
        Path dashboards = list(services.get("grafana"), "volumes").stream()
                .filter(mount -> mount.contains(":" + path + ":"))
                .map(mount -> source(mount))
                .findFirst()
                .orElseThrow();
        Object home = ((Map<?, ?>) services.get("grafana").get("environment"))
                .get("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH");
        assertThat(dashboards.resolve(Path.of(path.toString()).relativize(Path.of(home.toString()))))
                .exists();
    }

    private static Path source(String mount) {
        return ROOT.resolve(mount.substring(0, mount.indexOf(':')));
    }

    private List<String> all(String key) {
        List<String> all = new ArrayList<>();
        services.values().forEach(service -> all.addAll(list(service, key)));
        return all;
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
