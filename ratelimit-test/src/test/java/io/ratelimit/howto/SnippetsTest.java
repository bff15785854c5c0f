package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.StandardEnvironment;

/** What the pages show is what is tested. */
class SnippetsTest {

    private static final List<String> TESTS = Stream.of(
                    Path.of("src/test"),
                    Path.of("../ratelimit-sample-app/src/test"),
                    Path.of("../ratelimit-compatibility/src/test"),
                    Path.of("../ratelimit-compatibility/listeners/src/test"),
                    Path.of("../ratelimit-spring-ai/src/test"))
            .flatMap(folder -> Pages.files(folder, ".java").stream())
            .map(file -> withoutSpace(Pages.text(file)))
            .toList();

    static List<Path> pages() {
        return Pages.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void javaStandsInATest(Path page) {
        assertThat(Pages.blocks(page, "java"))
                .allSatisfy(block -> assertThat(TESTS).anyMatch(test -> isIn(test, block)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void yamlBinds(Path page) {
        assertThat(Pages.blocks(page, "yaml")).allSatisfy(SnippetsTest::binds);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aHowToPageThatConfiguresHasATest(Path page) {
        if (page.getParent().endsWith("how-to") && !Pages.blocks(page, "yaml").isEmpty()) {
            String name = page.getFileName().toString().replace(".md", "");
            assertThat(TESTS).anyMatch(test -> test.contains("@HowTo(\"" + name + "\")"));
        }
    }

    @Test
    void artifactsAreThoseOfThisVersion() {
        String version =
                Pages.text(Pages.ROOT.resolve("pom.xml")).replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
        assertThat(Pages.all())
                .flatExtracting(page -> Pages.blocks(page, "xml"))
                .filteredOn(block -> block.contains("io.ratelimit"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(block).contains("<version>" + version + "</version>"));
        assertThat(Pages.all())
                .flatExtracting(page -> Pages.blocks(page, "kotlin"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(block).contains(":ratelimit-bom:" + version));
    }

    private static void binds(String yaml) {
        StandardEnvironment environment = new StandardEnvironment();
        PageYaml.load("page", yaml).forEach(environment.getPropertySources()::addFirst);
        Binder.get(environment)
                .bind(
                        "rate-limiter",
                        Bindable.of(RateLimiterProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
        assertThat(environment.getPropertySources().stream()
                        .filter(source -> source.getName().equals("page"))
                        .map(EnumerablePropertySource.class::cast)
                        .flatMap(source -> Stream.of(source.getPropertyNames())))
                .isNotEmpty()
                .allMatch(KnownProperties::contain);
    }

    /** True if the test has all imports of the block, and what is below them in one piece. */
    private static boolean isIn(String test, String block) {
        Map<Boolean, List<String>> lines =
                block.lines().collect(Collectors.partitioningBy(line -> line.startsWith("import ")));
        return lines.get(true).stream().allMatch(line -> test.contains(withoutSpace(line)))
                && test.contains(withoutSpace(String.join("\n", lines.get(false))));
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
