package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the README says was measured is what the accuracy page says. */
class ReadmeTest {

    private static final Pattern CLAIM = Pattern.compile(
            "of 100 calls on each side of a second's boundary, at a limit of 100, our token bucket admits (\\d+) and Spring"
                    + " Cloud Gateway's (\\d+); our log (\\d+), as Redisson's; our fixed window (\\d+)");

    @Test
    void itsFiguresAreThoseOfTheAccuracyPage() throws IOException {
        Matcher claim = CLAIM.matcher(text("README.md").replaceAll("\\s+", " "));
        assertThat(claim.find()).isTrue();
        List<String> boundary = text("docs/accuracy.md")
                .lines()
                .dropWhile(line -> !line.equals("## Burst on both sides of a boundary"))
                .toList();
        assertThat(claim.group(1)).isEqualTo(admitted(boundary, "this library: token bucket"));
        assertThat(claim.group(2)).isEqualTo(admitted(boundary, "Spring Cloud Gateway's script"));
        assertThat(claim.group(3))
                .isEqualTo(admitted(boundary, "this library: log"))
                .isEqualTo(admitted(boundary, "Redisson RRateLimiter"));
        assertThat(claim.group(4)).isEqualTo(admitted(boundary, "this library: fixed window"));
    }

    /** The median. */
    private static String admitted(List<String> section, String contender) {
        return section.stream()
                .map(line -> line.split("\\s*\\|\\s*", -1))
                .filter(cells -> cells.length > 3 && cells[1].equals(contender))
                .findFirst()
                .orElseThrow()[3]
                .replaceFirst(" .*", "");
    }

    private static String text(String path) throws IOException {
        return Files.readString(Path.of("..").resolve(path));
    }
}
