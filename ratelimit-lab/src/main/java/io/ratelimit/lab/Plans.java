package io.ratelimit.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;

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
    static List<Planned> bursts(int calls, int instances, double... seconds) {
        List<Planned> all = new ArrayList<>();
        for (double second : seconds) {
            for (int i = 0; i < calls; i++) {
                all.add(at(second, i % instances));
            }
        }
        return all;
    }

    static List<Planned> withCosts(List<Planned> calls, ToLongFunction<Random> costs, Random random) {
        return calls.stream()
                .map(call -> new Planned(call.atMicros(), call.subject(), costs.applyAsLong(random), call.instance()))
                .toList();
    }

    static List<Planned> withSubjects(List<Planned> calls, IntUnaryOperator subjectOfCall) {
        List<Planned> all = new ArrayList<>();
        for (Planned call : calls) {
            all.add(new Planned(call.atMicros(), subjectOfCall.applyAsInt(all.size()), call.cost(), call.instance()));
        }
        return all;
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

    private static Planned at(double second, int instance) {
        return new Planned(Math.round(second * 1e6), 0, 1, instance);
    }
}
