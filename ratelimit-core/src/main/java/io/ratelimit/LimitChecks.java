package io.ratelimit;

import java.util.Optional;
import java.util.regex.Pattern;

/** Rejects limits whose parts do not go together. Messages name the limit, quote the value and say what to do. */
final class LimitChecks {

    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7E&&[^\"\\\\{}]]{1,200}");

    private LimitChecks() {}

    static void check(
            String name,
            Algorithm algorithm,
            Quota quota,
            long lease,
            int shards,
            Optional<Ban> ban,
            Optional<String> plan,
            boolean reportOnly) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "limit name '%s' must be 1 to 200 printable ASCII characters without space, quote, backslash or brace"
                            .formatted(name));
        }
        if (quota.capacity() != quota.maxRequests() && !algorithm.hasBurst()) {
            throw new IllegalArgumentException(
                    "limit '%s': burst '%d' is not supported by %s: leave it out, or set use-algo: token-bucket"
                            .formatted(name, quota.capacity(), algorithm.label()));
        }
        if (quota.window().period().isPresent() && algorithm != Algorithm.FIXED_WINDOW) {
            throw new IllegalArgumentException(
                    "limit '%s': a calendar '%s' is not supported by %s: leave it out, or set use-algo: fixed-window"
                            .formatted(name, quota.window().period().get(), algorithm.label()));
        }
        checkBuckets(name, algorithm, quota.window().buckets());
        if (algorithm.countsElements()) {
            checkElements(name, algorithm, quota.maxRequests(), lease, shards);
        }
        if (ban.isPresent() && (lease != 1 || shards != 1)) {
            throw new IllegalArgumentException(
                    "limit '%s': a ban needs every decision of a subject in one place: leave out lease '%d' and shards '%d'"
                            .formatted(name, lease, shards));
        }
        if (ban.isPresent() && reportOnly) {
            throw new IllegalArgumentException(
                    "limit '%s' only reports, so that its ban would never begin: leave out one of them"
                            .formatted(name));
        }
        if (ban.isPresent() && ban.get().countsFailures() && !algorithm.countsCosts()) {
            throw new IllegalArgumentException(
                    "limit '%s': a ban cannot count failures of %s, because that does not count costs: let it count refusals"
                            .formatted(name, algorithm.label()));
        }
        plan.ifPresent(named -> checkPlan(name, named, lease, shards));
        checkShards(name, quota, shards);
        if (lease < 1 || lease > quota.capacity() / shards) {
            throw new IllegalArgumentException(
                    "limit '%s': lease '%d' must be at least 1 and at most %d, the largest cost of one call"
                            .formatted(name, lease, quota.capacity() / shards));
        }
    }

    static void checkBuckets(String name, Algorithm algorithm, int buckets) {
        if (buckets != 1 && algorithm != Algorithm.SLIDING_WINDOW_COUNTER) {
            throw new IllegalArgumentException(
                    "limit '%s': buckets '%d' are not supported by %s: leave them out, or set use-algo: sliding-window-counter"
                            .formatted(name, buckets, algorithm.label()));
        }
    }

    private static void checkPlan(String name, String plan, long lease, int shards) {
        if (plan.isBlank()) {
            throw new IllegalArgumentException("limit '%s' has a plan '%s': name it".formatted(name, plan));
        }
        if (lease != 1 || shards != 1) {
            throw new IllegalArgumentException(
                    "limit '%s': plan '%s' needs the whole quota of a subject in one place: leave out lease '%d' and shards '%d'"
                            .formatted(name, plan, lease, shards));
        }
    }

    private static void checkElements(String name, Algorithm algorithm, long maxRequests, long lease, int shards) {
        if (algorithm == Algorithm.UNIQUE_COUNT && maxRequests > Limit.MOST_ELEMENTS) {
            throw new IllegalArgumentException(
                    "limit '%s': max-requests '%d' of %s must be at most %d: lower it, or set approximate: true if an estimate will do"
                            .formatted(name, maxRequests, algorithm.label(), Limit.MOST_ELEMENTS));
        }
        if (lease != 1) {
            throw new IllegalArgumentException("limit '%s': lease '%d' is not supported by %s: leave it out"
                    .formatted(name, lease, algorithm.label()));
        }
        if (shards != 1) {
            throw new IllegalArgumentException("limit '%s': shards '%d' is not supported by %s: leave it out"
                    .formatted(name, shards, algorithm.label()));
        }
    }

    private static void checkShards(String name, Quota quota, int shards) {
        if (shards < 1 || shards > Limit.MOST_SHARDS) {
            throw new IllegalArgumentException("limit '%s': shards '%d' must be at least 1 and at most %d"
                    .formatted(name, shards, Limit.MOST_SHARDS));
        }
        if (Math.min(quota.maxRequests(), quota.capacity()) < shards) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' must be at most %d, because each needs at least one request: lower it, or raise the limit"
                            .formatted(name, shards, Math.min(quota.maxRequests(), quota.capacity())));
        }
        Limit.named(name, () -> quota.part(0, shards)); // the largest, whose burst may take too long to refill
        Limit.named(name, () -> quota.part(shards - 1, shards));
    }
}
