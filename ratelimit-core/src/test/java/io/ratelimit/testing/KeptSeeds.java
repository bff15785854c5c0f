package io.ratelimit.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Seeds with which a random test failed once: {@code kept-seeds.txt} of each module, with a line {@code seed stream} for each.
 * Every run plays them but one with {@code -Dratelimit.keep=true}, which looks for others and adds those that it finds.
 */
final class KeptSeeds {

    private static final boolean KEEPING = Boolean.getBoolean("ratelimit.keep");
    private static final String FILE = "kept-seeds.txt";
    private static final List<String> LINES = KEEPING ? List.of() : read();

    private KeptSeeds() {}

    static List<Long> of(String stream) {
        return LINES.stream()
                .map(line -> line.split(" ", 2))
                .filter(line -> line[1].equals(stream))
                .map(line -> Long.valueOf(line[0]))
                .toList();
    }

    static void keep(String stream, long seed) {
        if (!KEEPING) {
            return;
        }
        try {
            String line = "%d %s%n".formatted(seed, stream);
            Path file = Path.of("src/test/resources", FILE);
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw new UncheckedIOException("seed %d of '%s' cannot be kept".formatted(seed, stream), failed);
        }
    }

    private static List<String> read() {
        List<String> lines = new ArrayList<>();
        try {
            for (URL file : Collections.list(KeptSeeds.class.getClassLoader().getResources(FILE))) {
                try (BufferedReader reader =
                        new BufferedReader(new InputStreamReader(file.openStream(), StandardCharsets.UTF_8))) {
                    reader.lines().filter(line -> !line.startsWith("#")).forEach(lines::add);
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("'%s' cannot be read".formatted(FILE), failed);
        }
        return lines;
    }
}
