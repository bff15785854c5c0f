package io.ratelimit.benchmarks;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Whom decisions are about: names of 12 characters, asked in no order. Immutable. */
final class Subjects {

    private final List<String> names;

    Subjects(int count) {
        names = IntStream.range(0, count).mapToObj(Subjects::name).toList();
    }

    static String name(int index) {
        return "user" + Integer.toString(100_000_000 + index).substring(1);
    }

    String any() {
        return names.size() == 1 ? get(0) : get(ThreadLocalRandom.current().nextInt(names.size()));
    }

    String get(int index) {
        return names.get(index);
    }

    List<String> all() {
        return names;
    }

    int count() {
        return names.size();
    }
}
