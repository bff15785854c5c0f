package io.ratelimit.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** Decisions in memory, about one subject or any of them, all known already. Run by {@link JmhTrial}. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class KnownSubjectBenchmark {

    /** A constant of {@link InProcess}. */
    @Param("OWN")
    public String contender;

    @Param("100000")
    public int count;

    private Subjects subjects;
    private InProcess.Limiter limiter;

    @Setup
    public void askOnceForEach() {
        subjects = new Subjects(count);
        limiter = InProcess.valueOf(contender).open(count);
        subjects.all().forEach(limiter::tryAcquire);
    }

    @Benchmark
    @Threads(1)
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public boolean oneSubject() {
        return decide(subjects.get(count / 2));
    }

    @Benchmark
    @Threads(1)
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public boolean anySubject() {
        return decide(subjects.any());
    }

    @Benchmark
    @Threads(8)
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    public boolean anySubjectByEightThreads() {
        return decide(subjects.any());
    }

    private boolean decide(String subject) {
        if (!limiter.tryAcquire(subject)) {
            throw new IllegalStateException("'%s' refused a request it should admit".formatted(contender));
        }
        return true;
    }
}
