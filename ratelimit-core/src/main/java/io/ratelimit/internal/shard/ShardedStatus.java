package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Combines the answers of a limit's shards to one call into one answer of the limit. A limit without shards counts as
 * one shard. Not thread-safe.
 */
final class ShardedStatus {

    private static final int TRIED_ONE_BY_ONE = 2;

    private final Limit limit;
    private final List<LimitStatus> answers = new ArrayList<>();
    private int shard;

    /** Creates a status without answers; {@code first} is the index of the shard to try first. */
    ShardedStatus(Limit limit, int first) {
        this.limit = limit;
        this.shard = first;
    }

    /** Combines the answers of a peek at all shards of all charges. */
    static Decision ofAllShards(Acquisition acquisition, Decision decision) {
        List<LimitStatus> limits = new ArrayList<>();
        int next = 0;
        for (Charge charge : acquisition.charges()) {
            ShardedStatus status = new ShardedStatus(charge.limit(), 0);
            for (int i = 0; i < charge.limit().shards(); i++) {
                status.answers.add(decision.limits().get(next++));
            }
            limits.add(status.status(status.answers.stream().allMatch(LimitStatus::refuses)));
        }
        boolean allowed = limits.stream().noneMatch(LimitStatus::refuses);
        return new Decision(allowed, limits, decision.source(), decision.decidedAt());
    }

    int shard() {
        return shard;
    }

    /**
     * Adds the current shard's answer; replaces its last one if the shard was tried {@code again} because another limit
     * moved.
     */
    void answered(LimitStatus answer, boolean again) {
        if (again) {
            answers.set(answers.size() - 1, answer);
        } else {
            answers.add(answer);
        }
    }

    /** Moves to the next shard if the current one refused and another was not tried yet; returns whether it moved. */
    boolean next() {
        boolean goesOn = last().refuses() && answers.size() < limit.shards();
        shard = goesOn ? (shard + 1) % limit.shards() : shard;
        return goesOn;
    }

    /**
     * Returns the shards to look at before another is tried, the current one first: thrice as many as have refused, or all that were not
     * tried.
     */
    List<Integer> ahead(boolean all) {
        int tried = answers.size();
        return tried < TRIED_ONE_BY_ONE && !all
                ? List.of()
                : IntStream.range(0, Math.min(all ? limit.shards() : 3 * tried, limit.shards() - tried))
                        .mapToObj(i -> (shard + i) % limit.shards())
                        .toList();
    }

    /**
     * Passes the current shard, which is not the last, if it would refuse; returns whether it does.
     *
     * @param isAnswer whether it answers if it would not
     */
    boolean passes(LimitStatus peeked, boolean isAnswer) {
        if (peeked.refuses()) {
            answers.add(peeked);
            next();
        } else if (isAnswer) {
            answers.add(peeked);
        }
        return peeked.refuses();
    }

    boolean isOver() {
        return answers.size() == limit.shards();
    }

    LimitStatus status() {
        return status(last().refuses());
    }

    private LimitStatus status(boolean refuses) {
        Duration retryAfter = answers.stream()
                .map(LimitStatus::retryAfter)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Duration resetAfter = answers.stream()
                .map(LimitStatus::resetAfter)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return new LimitStatus(
                limit,
                remaining(),
                refuses ? retryAfter : Duration.ZERO,
                resetAfter,
                shard,
                last().bannedFor(),
                last().decidedLater(),
                refuses && last().blocked(),
                last().givenBack());
    }

    /** Counts each shard that was not tried like the one that was tried last. */
    private long remaining() {
        long known = answers.stream().mapToLong(LimitStatus::remaining).sum();
        return Math.min(limit.capacity(), known + (limit.shards() - answers.size()) * last().remaining());
    }

    private LimitStatus last() {
        return answers.get(answers.size() - 1);
    }
}
