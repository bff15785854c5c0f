package io.ratelimit.benchmarks;

import java.util.Collection;
import java.util.function.Supplier;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One JMH fork of {@link KnownSubjectBenchmark}: it warms up and measures in a Java process of its own. */
record JmhTrial(String method, InProcess contender, int subjects, Pace pace, int warmUpSeconds)
        implements Supplier<Double> {

    /** After what is enough for one thread to warm up. */
    JmhTrial(String method, InProcess contender, int subjects, Pace pace) {
        this(method, contender, subjects, pace, pace.seconds() + 1);
    }

    @Override
    public Double get() {
        OptionsBuilder options = new OptionsBuilder();
        options.include('^' + KnownSubjectBenchmark.class.getName().replace(".", "\\.") + "\\." + method + '$')
                .param("contender", contender.name())
                .param("count", Integer.toString(subjects))
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
            throw new IllegalStateException("JMH failed for '%s'".formatted(contender.label), failed);
        }
    }
}
