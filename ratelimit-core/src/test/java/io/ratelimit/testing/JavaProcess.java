package io.ratelimit.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Another process of the same Java and class path as this one. */
public final class JavaProcess {

    private static final Duration LONGEST = Duration.ofMinutes(4);

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts the main method with the texts of the arguments. */
    public static JavaProcess start(Class<?> main, Object... arguments) {
        return start(List.of(), main, arguments);
    }

    /** The same with options of the JVM, which compiles and collects garbage as this one does. */
    public static JavaProcess start(List<String> options, Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.matches("-XX:TieredStop.*|-XX:[+]Use.*GC"))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        try {
            return new JavaProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start " + main, failed);
        }
    }

    /** Waits until the process ends and returns everything that it printed. Fails with where its threads stand if it hangs. */
    public String output() {
        CompletableFuture<String> output = CompletableFuture.supplyAsync(this::read, task -> new Thread(task).start());
        try {
            return output.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException hangs) {
            throw new IllegalStateException("runs for longer than " + LONGEST + ": " + end(output), hangs);
        } catch (ExecutionException failed) {
            throw new IllegalStateException("cannot read what a process printed", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private String read() {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A JVM prints its threads when it is asked to quit. */
    private String end(CompletableFuture<String> output) {
        try {
            new ProcessBuilder("kill", "-QUIT", String.valueOf(process.pid())).start();
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (IOException noSignal) {
            return "it cannot be asked where (" + noSignal + ")";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
        return output.join();
    }
}
