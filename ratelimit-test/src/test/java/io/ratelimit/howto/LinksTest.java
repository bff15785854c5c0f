package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links within the documentation lead somewhere, and every page is in the index, some of their parts too, and in llms.txt. */
class LinksTest {

    private static final Path INDEX = Pages.DOCS.resolve("README.md");
    private static final Path LLMS = Pages.ROOT.resolve("llms.txt");

    private static final Pattern CODE = Pattern.compile("^```.*?^```$|`[^`\n]*`", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern ENTRY = Pattern.compile("^- \\[(.*)]\\((.*)\\): (.*)$", Pattern.MULTILINE);

    static Stream<Path> pages() {
        return Stream.concat(Pages.all().stream(), Stream.of(LLMS));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Path page) {
        assertThat(links(page)).allSatisfy(link -> {
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
            assertThat(target).exists();
            if (parts.length == 2) {
                assertThat(anchors(target)).contains(parts[1]);
            }
        });
    }

    @Test
    void sourcesNamePagesThatAreThere() {
        assertThat(Stream.of(
                                "ratelimit-core",
                                "ratelimit-spring-boot-starter",
                                "ratelimit-test",
                                "ratelimit-spring-ai",
                                "ratelimit-benchmarks",
                                "ratelimit-lab")
                        .flatMap(
                                module -> Pages.files(Pages.ROOT.resolve(module).resolve("src/main"), ".java").stream())
                        .flatMap(file -> Pattern.compile("docs/[\\w/-]+\\.md")
                                .matcher(Pages.text(file))
                                .results())
                        .map(MatchResult::group)
                        .distinct())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(Pages.ROOT.resolve(name)).exists());
    }

    @Test
    void theIndexHasEveryPage() {
        assertThat(entries(INDEX).stream()
                        .map(Entry::page)
                        .filter(page -> !page.toString().contains("#")))
                .containsExactlyInAnyOrderElementsOf(Pages.all().stream()
                        .filter(page -> !page.equals(INDEX.normalize()))
                        .filter(page -> !page.getParent().endsWith("errors") || page.endsWith("README.md"))
                        .toList());
    }

    @Test
    void llmsTxtSaysWhatTheIndexSays() {
        assertThat(entries(LLMS)).containsExactlyInAnyOrderElementsOf(entries(INDEX));
    }

    /** A line of the index. */
    private record Entry(String title, Path page, String description) {}

    private static List<Entry> entries(Path list) {
        return ENTRY.matcher(Pages.text(list))
                .results()
                .map(line -> new Entry(
                        line.group(1), list.resolveSibling(line.group(2)).normalize(), line.group(3)))
                .toList();
    }

    private static List<String> links(Path page) {
        return LINK.matcher(CODE.matcher(Pages.text(page)).replaceAll("code"))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.matches("[a-z]+:.*"))
                .toList();
    }

    /** The anchors that GitHub gives the headings of a page. */
    private static List<String> anchors(Path page) {
        if (!Files.isRegularFile(page)) {
            return List.of();
        }
        return HEADING.matcher(Pages.text(page))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .toList();
    }
}
