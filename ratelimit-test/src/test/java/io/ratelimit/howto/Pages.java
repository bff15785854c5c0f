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

    static final Path DOCS = Path.of("..", "docs");

    private Pages() {}

    /** The code blocks of a language. */
    static List<String> blocks(Path page, String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(text(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** Files below a folder whose names end like this. */
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
