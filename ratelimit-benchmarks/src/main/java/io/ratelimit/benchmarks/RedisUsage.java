package io.ratelimit.benchmarks;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time and the bytes that a Redis has used since it started, by its own account.
 *
 * @param cpuMicros of the thread that decides, in its scripts and around them
 * @param bytes received and sent
 */
record RedisUsage(double cpuMicros, double bytes) {

    /** @param info what {@code INFO} answers */
    static RedisUsage of(String info) {
        return new RedisUsage(
                1e6 * (number(info, "used_cpu_user_main_thread") + number(info, "used_cpu_sys_main_thread")),
                number(info, "total_net_input_bytes") + number(info, "total_net_output_bytes"));
    }

    /** Returns the bytes of {@code used_memory}. */
    static double memory(String info) {
        return number(info, "used_memory");
    }

    static RedisUsage sum(List<RedisUsage> all) {
        return new RedisUsage(
                all.stream().mapToDouble(RedisUsage::cpuMicros).sum(),
                all.stream().mapToDouble(RedisUsage::bytes).sum());
    }

    RedisUsage since(RedisUsage earlier) {
        return new RedisUsage(cpuMicros - earlier.cpuMicros, bytes - earlier.bytes);
    }

    RedisUsage each(int times) {
        return new RedisUsage(cpuMicros / times, bytes / times);
    }

    private static double number(String info, String field) {
        Matcher matcher = Pattern.compile("(?m)^" + field + ":([\\d.]+)").matcher(info);
        if (!matcher.find()) {
            throw new IllegalStateException("Redis' INFO has no '%s'".formatted(field));
        }
        return Double.parseDouble(matcher.group(1));
    }
}
