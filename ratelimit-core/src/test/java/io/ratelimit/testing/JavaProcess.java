package io.ratelimit.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another process of the same Java and class path as this one. */
public final class JavaProcess {

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts the main method with the texts of the arguments. */
    public static JavaProcess start(Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        try {
            return new JavaProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start " + main, failed);
        }
    }

    /** Waits until the process ends and returns everything that it printed. */
    public String output() {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot read what a process printed", failed);
        }
    }
}
