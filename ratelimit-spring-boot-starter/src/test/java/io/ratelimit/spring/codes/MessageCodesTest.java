package io.ratelimit.spring.codes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.MessageCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

/** Every code is in use and documented, and what is documented works. */
class MessageCodesTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGES = ROOT.resolve("docs/errors");

    @ParameterizedTest
    @EnumSource
    void beginsTheMessageOfItsMistake(MessageCode code) {
        List<String> messages = Provocations.of(code);

        if (code.isWarning()) {
            assertThat(messages).anyMatch(message -> message.startsWith(code + ": "));
        } else {
            assertThat(messages)
                    .singleElement()
                    .asString()
                    .startsWith(code + ": ")
                    .contains("\n\nWhy: ", "\n\nCure: ")
                    .doesNotContain("](");
        }
    }

    @ParameterizedTest
    @EnumSource
    void hasAPageThatTheJarHolds(MessageCode code) {
        String page = page(code);

        assertThat(code.page()).isEqualTo(page);
        assertThat(page).startsWith("# " + code + ": ");
        assertThat(page.lines().filter(line -> line.startsWith("#")).skip(1))
                .containsExactly("## What", "## Why", "## Cure", "## How to silence");
        assertThat(List.of(page.split("(?m)^#.*$")).subList(2, 6)).noneMatch(String::isBlank);
        assertThat(page)
                .contains(
                        code.isWarning()
                                ? "`logging.level.io.ratelimit." + code + ": off` silences"
                                : "It cannot be silenced: ");
    }

    @Test
    void theIndexListsEveryPageByItsTitle() throws IOException {
        String rows = Files.readAllLines(PAGES.resolve("README.md")).stream()
                .filter(line -> line.startsWith("| [RL-"))
                .collect(Collectors.joining("\n"));

        assertThat(rows)
                .isEqualTo(Arrays.stream(MessageCode.values())
                        .map(MessageCodesTest::row)
                        .collect(Collectors.joining("\n")));
    }

    @Test
    void theIndexShowsWhatSpringBootPrints() throws IOException {
        String failure = Provocations.of(MessageCode.MAX_REQUESTS_MISSING).get(0);

        assertThat(Files.readString(PAGES.resolve("README.md")))
                .contains("Description:\n\n%s\n\nAction:\n\n%s\n".formatted((Object[]) failure.split("\n", 2)));
    }

    @Test
    void thereAreNoOtherPages() throws IOException {
        try (Stream<Path> pages = Files.list(PAGES)) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                    Stream.of("README.md"),
                                    Arrays.stream(MessageCode.values()).map(code -> code + ".md"))
                            .toList());
        }
    }

    @Test
    void theDocumentedPropertySilencesOneWarningAlone() {
        SpringApplication application = new SpringApplication(MessageCodesTest.class);
        application.setDefaultProperties(Map.of("logging.level.io.ratelimit.RL-154", false)); // as YAML reads 'off'
        LoggingSystem logging = LoggingSystem.get(MessageCodesTest.class.getClassLoader());
        try (ConfigurableApplicationContext context =
                application.run("--spring.main.web-application-type=none", "--spring.main.banner-mode=off")) {
            assertThat(context.isRunning()).isTrue();
            assertThat(Provocations.of(MessageCode.EVERYBODY_TRUSTED)).isEmpty();
            assertThat(Provocations.of(MessageCode.LIMIT_UNUSED)).hasSize(1);
        } finally {
            logging.setLogLevel("io.ratelimit.RL-154", (LogLevel) null);
        }
    }

    private static String row(MessageCode code) {
        String title = page(code).lines().findFirst().orElseThrow().substring(("# " + code + ": ").length());
        return "| [%s](%s.md) | %s |".formatted(code, code, title);
    }

    private static String page(MessageCode code) {
        try {
            return Files.readString(PAGES.resolve(code + ".md"));
        } catch (IOException missing) {
            throw new AssertionError("the page of " + code + " is missing", missing);
        }
    }
}
