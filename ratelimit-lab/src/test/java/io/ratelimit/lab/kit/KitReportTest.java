package io.ratelimit.lab.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KitReportTest {

    private final KitReport report = new KitReport(
            "http://localhost/<&>",
            List.of(
                    Mark.of("exact", true, "10 of 10"),
                    Mark.of("body", false, "none <here>"),
                    Mark.notPossible("weighted", "needs --weight")));

    @Test
    void countsTheResults() {
        assertThat(report.isPassed()).isFalse();
        assertThat(report.text())
                .contains("failed        body", "not possible  weighted", "1 passed, 1 failed, 1 not possible");
    }

    @Test
    void isWrittenAsJsonAndAsXml(@TempDir Path folder) throws IOException {
        report.write(folder);
        assertThat(Files.readString(folder.resolve("kit.json"))).contains("\"result\" : \"NOT_POSSIBLE\"");
        assertThat(Files.readString(folder.resolve("kit.xml")))
                .contains("tests=\"3\" failures=\"1\" skipped=\"1\"", "<failure message=\"none &lt;here");
    }

    @Test
    void optionsThatAreMissingOrWrongAreNamed() {
        assertThatThrownBy(() -> KitOptions.parse("--url=http://localhost")).hasMessageContaining("--limit is missing");
        assertThatThrownBy(() -> KitOptions.parse("--limits=5")).hasMessageContaining("'--limits=5' is not an option");
        assertThatThrownBy(() -> KitOptions.parse("--limit=5", "--window=5x"))
                .hasMessageContaining("'5x' is not a valid duration");
    }
}
