package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.benchmarks.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccuracyReportTest {

    private static final Experiment ABOVE = Experiments.all(true).stream()
            .filter(experiment -> experiment.id().equals("above"))
            .findFirst()
            .orElseThrow();

    @TempDir
    Path folder;

    private String measuredAgain(boolean keep) throws IOException {
        Files.writeString(
                folder.resolve("accuracy.md"),
                "# Accuracy\n\n## Above\n\nold `--only=above`\n\n## Leases\n\nleased `--only=leases`\n");
        AccuracyReport report = AccuracyReport.in(folder, keep);
        report.add(ABOVE, List.of(Collections.nCopies(Summary.HEADINGS.size(), "new")), List.of());
        report.write(Lab.Options.parse("--only=above"), new Machine(2, "17", "Linux", "7"));
        return Files.readString(folder.resolve("accuracy.md"));
    }

    @Test
    void aSectionThatIsMeasuredReplacesTheOneThatThePageHas() throws IOException {
        assertThat(measuredAgain(true))
                .contains("| new ")
                .doesNotContain("old `")
                .containsOnlyOnce("`--only=above`");
    }

    @Test
    void otherSectionsStayOnlyIfTheyMay() throws IOException {
        assertThat(measuredAgain(true)).contains("leased");
        assertThat(measuredAgain(false)).doesNotContain("leased");
    }
}
