package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Bytes of heap that a subject takes, with its name and its place in the cache; in a Java process of its own. */
public final class HeapProbe {

    private HeapProbe() {}

    static double bytesPerSubject(InProcess contender, int subjects) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                HeapProbe.class.getName(),
                contender.name(),
                Integer.toString(subjects));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Double.parseDouble(said.trim());
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start a Java process", failed);
        }
    }

    /** Not for people: the constant of {@link InProcess}, and how many subjects. */
    public static void main(String[] args) {
        int subjects = Integer.parseInt(args[1]);
        InProcess.Limiter limiter = InProcess.valueOf(args[0]).open(subjects);
        limiter.tryAcquire("first");
        long before = usedBytes();
        try {
            for (int i = 0; i < subjects; i++) {
                limiter.tryAcquire(Subjects.name(i));
            }
            System.out.println((double) (usedBytes() - before) / subjects);
        } finally {
            Reference.reachabilityFence(limiter);
        }
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
