package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the how-to pages show is what is tested. */
class SnippetsTest {

    private static final String TESTS = Stream.of(Path.of("src/test"), Path.of("../ratelimit-sample-app/src/test"))
            .flatMap(folder -> Pages.files(folder, ".java").stream())
            .map(file -> withoutSpace(Pages.text(file)))
            .collect(Collectors.joining());

    static List<Path> pages() {
        return Stream.concat(
                        Stream.of(Pages.DOCS.resolve("testing.md"), Pages.DOCS.resolve("annotation.md")),
                        Pages.files(Pages.DOCS.resolve("how-to"), ".md").stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void javaStandsInATest(Path page) {
        assertThat(Pages.blocks(page, "java"))
                .allSatisfy(block -> assertThat(TESTS).contains(withoutSpace(block)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageThatConfiguresHasATest(Path page) {
        if (!Pages.blocks(page, "yaml").isEmpty()) {
            String name = page.getFileName().toString().replace(".md", "");
            assertThat(TESTS).contains("@HowTo(\"" + name + "\")");
        }
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
