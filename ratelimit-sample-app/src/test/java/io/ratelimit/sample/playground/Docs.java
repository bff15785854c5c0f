package io.ratelimit.sample.playground;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of {@code docs/playground} that tests make: only with {@code -Dplayground.docs=true}, because pictures differ each time. */
final class Docs {

    static final Path FOLDER = Path.of("../docs/playground");

    private Docs() {}

    static boolean areRenewed() {
        return Boolean.getBoolean("playground.docs");
    }

    static void write(String name, byte[] content) {
        try {
            Path folder = areRenewed() ? FOLDER : Files.createDirectories(Path.of("target/playground"));
            Files.write(folder.resolve(name), content);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
