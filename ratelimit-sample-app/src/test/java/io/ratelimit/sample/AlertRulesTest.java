package io.ratelimit.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.utility.MountableFile;

/** The alert rules and the panels of {@code ops}: they tell an outage while it lasts, and nothing of a handful of calls. */
class AlertRulesTest {

    private static final Path RULES = Path.of("../ops/prometheus");
    private static final Path DASHBOARDS = Path.of("../ops/grafana/dashboards");

    /** By promtool of the PATH, or of compose.yaml's image where there is an engine for containers. */
    @Tag("promtool")
    @ParameterizedTest
    @ValueSource(strings = {"alerts.test.yml", "panels.test.yml"})
    void promtoolFindsNothingWrong(String tests) throws Exception {
        Optional<File> promtool = onThePath("promtool");
        if (promtool.isPresent()) {
            Process process = new ProcessBuilder(promtool.get().getPath(), "test", "rules", tests)
                    .directory(RULES.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            return;
        }
        assumeThat(DockerClientFactory.instance().isDockerAvailable())
                .as("promtool on the PATH, or an engine for containers")
                .isTrue();
        try (GenericContainer<?> container = new GenericContainer<>(image())) {
            container
                    .withCopyFileToContainer(MountableFile.forHostPath(RULES), "/rules")
                    .withCreateContainerCmdModifier(create -> create.withEntrypoint("promtool"))
                    .withCommand("test", "rules", "/rules/" + tests)
                    .withStartupCheckStrategy(new OneShotStartupCheckStrategy().withTimeout(Duration.ofMinutes(2)))
                    .start();
        }
    }

    @Test
    void everyAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() throws IOException {
        String tests = Files.readString(RULES.resolve("alerts.test.yml"));

        assertThat(all("- alert: (\\w+)"))
                .hasSize(7)
                .allSatisfy(alert -> assertThat(tests)
                        .contains("alertname: " + alert + "\n", "alertname: " + alert + ", exp_alerts: []"));
    }

    @Test
    void everyAlertLooksAtAMinuteAndNeedsTraffic() throws IOException {
        assertThat(all("\\[(\\w+)]")).isNotEmpty().containsOnly("1m");
        assertThat(all("for: (\\w+)")).hasSize(7).isSubsetOf("15s", "30s", "2m");
        assertThat(all(" > (0\\.[12])\n +for: ")).hasSize(7);
    }

    @Test
    void everyPanelThatShowsAShareHasATest() throws IOException {
        String tests = Files.readString(RULES.resolve("panels.test.yml"));
        Pattern share = Pattern.compile("\"unit\": \"percentunit\".*?\"expr\": \"(.*?[^\\\\])\"", Pattern.DOTALL);

        for (String dashboard : List.of("rate-limits-owner.json", "rate-limits-operator.json")) {
            List<String> queries = share.matcher(Files.readString(DASHBOARDS.resolve(dashboard)))
                    .results()
                    .map(panel -> panel.group(1).replace("\\\"", "\""))
                    .toList();
            assertThat(queries)
                    .isNotEmpty()
                    .allSatisfy(query -> assertThat(tests)
                            .contains("'" + query.replace("$job", ".*").replace("$__rate_interval", "1m") + "'"));
        }
    }

    private static List<String> all(String regex) throws IOException {
        return Pattern.compile(regex)
                .matcher(Files.readString(RULES.resolve("alerts.yml")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static Optional<File> onThePath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> new File(folder, program))
                .filter(File::canExecute)
                .findFirst();
    }

    private static String image() throws IOException {
        return Arrays.stream(Files.readString(Path.of("../compose.yaml")).split("\\s+"))
                .filter(word -> word.startsWith("prom/prometheus:"))
                .findFirst()
                .orElseThrow();
    }
}
