package io.ratelimit.benchmarks;

import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One JMH fork of a benchmark: it warms up and measures in a Java process of its own. */
record JmhTrial(Class<?> benchmark, String method, Map<String, String> parameters, Pace pace, int warmUpSeconds)
        implements Supplier<Double> {

    /** A decision of {@link KnownSubjectBenchmark}. */
    JmhTrial(String method, InProcess contender, int subjects, Pace pace, int warmUpSeconds) {
        this(
                KnownSubjectBenchmark.class,
                method,
                Map.of("contender", contender.name(), "count", Integer.toString(subjects)),
                pace,
                warmUpSeconds);
    }

    /** The same after what is enough for one thread to warm up. */
    JmhTrial(String method, InProcess contender, int subjects, Pace pace) {
        this(method, contender, subjects, pace, pace.seconds() + 1);
    }

    @Override
    public Double get() {
        OptionsBuilder options = new OptionsBuilder();
        parameters.forEach((name, value) -> options.param(name, value));
        options.include('^' + benchmark.getName().replace(".", "\\.") + "\\." + method + '$')
                .forks(1)
                .warmupIterations(warmUpSeconds)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(pace.seconds())
                .measurementTime(TimeValue.seconds(1))
                .jvmArgs("-Xms1g", "-Xmx1g")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        try {
            Collection<RunResult> results = new Runner(options.build()).run();
            return results.iterator().next().getPrimaryResult().getScore();
        } catch (RunnerException failed) {
            throw new IllegalStateException("JMH failed for %s with %s".formatted(method, parameters), failed);
        }
    }
}
