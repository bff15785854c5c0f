package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** An application in a process of its own, with its own class path. */
final class Application implements AutoCloseable {

    private static final Pattern STARTED =
            Pattern.compile("started on port (\\d+).*\\R(?:.*\\R)*?.*Started \\w+ in ", Pattern.MULTILINE);

    private static final Pattern SECONDS = Pattern.compile("process running for ([\\d.]+)");

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private static final String CREDENTIALS =
            "Basic " + Base64.getEncoder().encodeToString("user:password".getBytes(StandardCharsets.UTF_8));

    private final Process process;
    private final Path log;

    private Application(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts it with these properties, and waits until it answers. */
    static Application start(Class<?> main, Set<Part> parts, String... properties) {
        return launch(main.getName(), command(Part.classPath(parts), options(parts)), properties)
                .answering();
    }

    /** The same, processed ahead of time as the plugins of Spring Boot do it. */
    static Application startProcessed(Class<?> main, Set<Part> parts, String... properties) {
        return startProcessed(main.getName(), Part.classPath(parts), properties);
    }

    /** The sample, processed ahead of time. */
    static Application startSampleProcessed(String... properties) {
        return startProcessed("io.ratelimit.sample.SampleApplication", Part.classPathOfSample(), properties);
    }

    private static Application startProcessed(String main, String classPath, String... properties) {
        Path out = newFile(".aot");
        String[] arguments = Stream.concat(
                        Stream.of(main, out + "/sources", out + "/classes", out + "/classes", "g", "a"),
                        Arrays.stream(properties).map("--"::concat))
                .toArray(String[]::new);
        Application processor =
                run(command(classPath, List.of()), "org.springframework.boot.SpringApplicationAotProcessor", arguments);
        assertThat(processor.process.onExit().join().exitValue())
                .as(processor.log())
                .isZero();
        compile(out, classPath);
        return launch(
                        main,
                        command(
                                out + "/classes" + File.pathSeparator + classPath,
                                List.of("-Dspring.aot.enabled=true")),
                        properties)
                .answering();
    }

    /** The same on this class path, with these options of the JVM alone. */
    static Application startPlainly(Class<?> main, String classPath, List<String> options, String... properties) {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        return launch(main.getName(), command, properties).answering();
    }

    /** What it logs when its start fails. */
    static String failToStart(Class<?> main, Set<Part> parts, String... properties) {
        try (Application application =
                launch(main.getName(), command(Part.classPath(parts), options(parts)), properties)) {
            application.awaitStart();
            assertThat(application.isStarted()).as(application.log()).isFalse();
            return application.log();
        }
    }

    /** For BlockHound, which adds a method to each that blocks. */
    private static List<String> options(Set<Part> parts) {
        return parts.contains(Part.REACTIVE)
                ? List.of("-XX:+EnableDynamicAgentLoading", "-XX:+AllowRedefinitionToAddDeleteMethods")
                : List.of();
    }

    private static List<String> command(String classPath, List<String> options) {
        List<String> command = new ArrayList<>(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    private static Application launch(String main, List<String> command, String... properties) {
        return run(
                command,
                main,
                Stream.concat(
                                Stream.of("--server.port=0", "--spring.main.banner-mode=off"),
                                Arrays.stream(properties).map("--"::concat))
                        .toArray(String[]::new));
    }

    private static Application run(List<String> command, String main, String... arguments) {
        List<String> all = new ArrayList<>(command);
        all.add(main);
        all.addAll(List.of(arguments));
        Path log = newFile(".log");
        try {
            return new Application(
                    new ProcessBuilder(all)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start(),
                    log);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void compile(Path out, String classPath) {
        try (Stream<Path> files = Files.walk(out.resolve("sources"))) {
            List<String> arguments = new ArrayList<>(List.of(
                    "-nowarn", "-d", out + "/classes", "-cp", out + "/classes" + File.pathSeparator + classPath));
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
            assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                    .isZero();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Path newFile(String suffix) {
        try {
            Path target = Files.createDirectories(Path.of("target", "applications"));
            return target.resolve(UUID.randomUUID() + suffix);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private Application answering() {
        awaitStart();
        assertThat(isStarted()).as(log()).isTrue();
        return this;
    }

    private void awaitStart() {
        await().atMost(Duration.ofMinutes(2)).until(() -> isStarted() || !process.isAlive());
    }

    Answer get(String path, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Authorization", CREDENTIALS));
        return Http.send("GET", base() + path, all.toArray(String[]::new));
    }

    /** Sends JSON without a password. */
    Answer post(String path, String json) {
        return Http.post(base() + path, json, "Content-Type", "application/json");
    }

    Answer postWithPassword(String path, String json) {
        return Http.post(base() + path, json, "Content-Type", "application/json", "Authorization", CREDENTIALS);
    }

    /** Sends the form of a log-in. */
    Answer logIn(String password) {
        return Http.post(
                base() + "/login",
                "username=user&password=" + password,
                "Content-Type",
                "application/x-www-form-urlencoded");
    }

    /** Asks as a browser does before it sends what another site's page wants. */
    Answer preflight(String path) {
        return Http.send(
                "OPTIONS", base() + path, "Origin", "https://page.example", "Access-Control-Request-Method", "GET");
    }

    String base() {
        Matcher started = STARTED.matcher(log());
        assertThat(started.find()).isTrue();
        return "http://localhost:" + started.group(1);
    }

    List<Integer> statuses(String path, int times, String... headers) {
        return IntStream.range(0, times)
                .map(i -> get(path, headers).status())
                .boxed()
                .toList();
    }

    /** From the start of its process on, as it logs it. */
    double secondsToStart() {
        Matcher seconds = SECONDS.matcher(log());
        assertThat(seconds.find()).isTrue();
        return Double.parseDouble(seconds.group(1));
    }

    /** The processor time that it has used. */
    double processorSeconds() {
        return process.info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private boolean isStarted() {
        return STARTED.matcher(log()).find();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
