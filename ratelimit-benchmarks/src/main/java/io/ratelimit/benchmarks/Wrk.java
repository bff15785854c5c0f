package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The load generator {@code wrk}, which is not part of this build: Debian and others package it. */
final class Wrk {

    private static final int CONNECTIONS = 32;
    private static final Map<String, Double> MICROS = Map.of("us", 1.0, "ms", 1e3, "s", 1e6);

    private Wrk() {}

    static boolean isInstalled() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "wrk")));
    }

    /** Asks as fast as 32 connections can, each request about any of that many users. */
    static Sample run(int port, int users, Duration time) {
        try {
            Path script = Files.createTempFile("wrk", ".lua");
            Files.writeString(
                    script,
                    "function request() return wrk.format('GET', '/check?userId=user' .. math.random(%d)) end"
                            .formatted(users));
            Process process = new ProcessBuilder(List.of(
                            "wrk",
                            "-t1",
                            "-c" + CONNECTIONS,
                            "-d" + Math.max(1, time.toSeconds()) + "s",
                            "--latency",
                            "-s",
                            script.toString(),
                            "http://127.0.0.1:" + port + "/check"))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Files.delete(script);
            return sample(said);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot run wrk", failed);
        }
    }

    private static Sample sample(String said) {
        if (said.contains("Non-2xx") || said.contains("Socket errors")) {
            throw new IllegalStateException("a request that should be served was not: %s".formatted(said));
        }
        Matcher total = find("(\\d+) requests in ([\\d.]+)s", said);
        Matcher median = find("50%\\s+([\\d.]+)(us|ms|s)", said);
        return new Sample(
                Long.parseLong(total.group(1)),
                Double.parseDouble(total.group(2)),
                Double.parseDouble(median.group(1)) * MICROS.getOrDefault(median.group(2), 1.0));
    }

    private static Matcher find(String pattern, String said) {
        Matcher matcher = Pattern.compile(pattern).matcher(said);
        if (!matcher.find()) {
            throw new IllegalStateException("wrk said nothing like '%s': %s".formatted(pattern, said));
        }
        return matcher;
    }
}
