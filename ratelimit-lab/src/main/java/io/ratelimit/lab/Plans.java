package io.ratelimit.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;

/** Writes the calls of an experiment in advance, from a seed. Calls go to the instances in turn. */
final class Plans {

    private Plans() {}

    /** Calls at that rate per second, each at a random moment of its own share of the time. */
    static List<Planned> paced(double perSecond, double seconds, int instances, Random random) {
        return varying(second -> perSecond, seconds, instances, random);
    }

    /** Calls at a rate that depends on the time since the start, in seconds. */
    static List<Planned> varying(DoubleUnaryOperator perSecond, double seconds, int instances, Random random) {
        List<Planned> calls = new ArrayList<>();
        for (double second = 0; second < seconds; ) {
            double rate = perSecond.applyAsDouble(second);
            double step = rate > 0 ? 1 / rate : 0.01;
            if (rate > 0) {
                calls.add(at(second + random.nextDouble() * step, calls.size() % instances));
            }
            second += step;
        }
        return calls;
    }

    /** So many calls at each of these seconds. */
    static List<Planned> bursts(int calls, double... seconds) {
        return DoubleStream.of(seconds)
                .boxed()
                .flatMap(second -> Collections.nCopies(calls, at(second, 0)).stream())
                .toList();
    }

    /** Five calls at once, ten times a second. */
    static List<Planned> fives(double seconds) {
        return bursts(
                5,
                DoubleStream.iterate(0, second -> second < seconds, second -> second + 0.1)
                        .toArray());
    }

    static List<Planned> each(List<Planned> calls, UnaryOperator<Planned> change) {
        return calls.stream().map(change).toList();
    }

    /** A subject by Zipf's law: the second is asked half as often as the first, the third a third as often. */
    static int zipf(int subjects, Random random) {
        double sum = 0;
        for (int i = 1; i <= subjects; i++) {
            sum += 1.0 / i;
        }
        double point = random.nextDouble() * sum;
        int subject = 0;
        for (double below = 1; below < point && subject < subjects - 1; below += 1.0 / (subject + 1)) {
            subject++;
        }
        return subject;
    }

    static Planned at(double second, int instance) {
        return new Planned(Math.round(second * 1e6), 0, 1, 1, instance);
    }
}
