package io.ratelimit.howto;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documentation, and the code in it. */
final class Pages {

    static final Path ROOT = Path.of("..");
    static final Path DOCS = ROOT.resolve("docs");

    private Pages() {}

    /** All pages: those beside the README, and those below docs. */
    static List<Path> all() {
        try (Stream<Path> beside = Files.list(ROOT)) {
            return Stream.concat(beside.filter(file -> file.toString().endsWith(".md")), files(DOCS, ".md").stream())
                    .map(Path::normalize)
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The README, or the page below docs with that name, without {@code .md}. */
    static Path named(String name) {
        if (name.equals("README")) {
            return ROOT.resolve("README.md").normalize();
        }
        return files(DOCS, "/" + name + ".md").stream().findFirst().orElseThrow();
    }

    /** The code blocks of a language. */
    static List<String> blocks(Path page, String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(text(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** Files below a folder whose paths end like this. */
    static List<Path> files(Path folder, String suffix) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
