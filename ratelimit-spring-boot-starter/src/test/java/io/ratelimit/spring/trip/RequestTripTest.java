package io.ratelimit.spring.trip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * CONTRIBUTING lists the files that a refused request runs through, with what each says of itself. {@code
 * -Ddocs.renew=true} writes the list.
 */
@Tag("thorough")
class RequestTripTest {

    private static final int MOST_FILES = 100;
    private static final Path PAGE = Path.of("..", "CONTRIBUTING.md");
    private static final List<Path> SOURCES = Stream.of("ratelimit-spring-boot-starter", "ratelimit-core")
            .map(module -> Path.of("..", module, "src", "main", "java"))
            .toList();
    private static final Pattern TABLE = Pattern.compile("(<!-- trip -->\n).*?(<!-- end of trip -->)", Pattern.DOTALL);
    private static final Pattern JAVADOC = Pattern.compile(
            "/\\*\\*(.*?)\\*/\\s*(?:@\\w+[^\n]*\\s+)*(?:public |abstract |final |sealed )*(?:class|record|interface|enum)",
            Pattern.DOTALL);

    @Test
    void thePageListsTheFiles() throws IOException {
        List<String> files = Trip.output()
                .lines()
                .filter(line -> line.startsWith("visited "))
                .map(line -> line.substring("visited ".length()).replaceFirst("\\$.*", ""))
                .filter(type -> source(type) != null)
                .distinct()
                .sorted(Comparator.comparing((String type) -> !type.startsWith("io.ratelimit.spring."))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
        StringBuilder rows = new StringBuilder("\n| | file | what it is |\n|---|---|---|\n");
        for (int i = 0; i < files.size(); i++) {
            String file = files.get(i).substring("io.ratelimit.".length()).replace('.', '/');
            rows.append("| %d | `%s` | %s |%n".formatted(i + 1, file, purpose(files.get(i))));
        }

        String page = Files.readString(PAGE);
        String renewed = TABLE.matcher(page).replaceAll("$1" + Matcher.quoteReplacement(rows + "\n") + "$2");
        if (Boolean.getBoolean("docs.renew")) {
            Files.writeString(PAGE, renewed);
        }

        assertThat(files).hasSizeBetween(20, MOST_FILES);
        assertThat(Files.readString(PAGE)).contains("<!-- trip -->").isEqualTo(renewed);
    }

    private static Path source(String type) {
        return SOURCES.stream()
                .map(sources -> sources.resolve(type.replace('.', '/') + ".java"))
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
    }

    /** Returns the first sentence of the class's Javadoc. */
    private static String purpose(String type) {
        try {
            Matcher javadoc = JAVADOC.matcher(Files.readString(source(type)));
            String text = javadoc.find() ? javadoc.group(1) : "";
            String plain = text.replaceAll("\n *\\*", " ")
                    .replaceAll("\\s+", " ")
                    .replaceAll("\\{@link [^} ]+ ([^}]+)}", "$1")
                    .replaceAll("\\{@link (?:[^}]*#)?([^}]*)}", "$1")
                    .replaceAll("\\{@code ([^}]*)}", "$1")
                    .strip();
            return plain.replaceFirst("(?<=[.:]) .*", "").replaceFirst("[.:]$", "");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
