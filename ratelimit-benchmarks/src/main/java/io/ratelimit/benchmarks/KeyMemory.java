package io.ratelimit.benchmarks;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Bytes that Redis keeps for a subject, by its {@code used_memory}: what it counted, the names of its keys, their times to
 * live and Redis' own tables.
 *
 * @param subjects how many are known; names of 20 characters
 * @param requests what each of them has made
 */
record KeyMemory(int subjects, int requests) {

    /** Returns what those requests leave in an empty Redis, for each subject. Takes turns, so that all tables grow at once. */
    <C> double bytesAfter(RedisSite redis, C contender, BiConsumer<C, String> request) {
        redis.commands().flushall();
        request.accept(contender, "principal:loads-the-script");
        List<String> names = IntStream.range(0, subjects)
                .mapToObj("principal:%010d"::formatted)
                .toList();
        double before = redis.usedMemory();
        for (int i = 0; i < requests; i++) {
            names.forEach(name -> request.accept(contender, name));
        }
        return (redis.usedMemory() - before) / subjects;
    }
}
