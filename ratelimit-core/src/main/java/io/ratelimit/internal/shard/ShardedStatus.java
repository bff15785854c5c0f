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

/**
 * What the shards of one limit have answered one call so far, told as one answer of the limit. Of a limit without shards
 * that is the limit's own. Not thread-safe.
 */
final class ShardedStatus {

    private final Limit limit;
    private final List<LimitStatus> answers = new ArrayList<>();
    private int shard;

    /** Nothing is answered yet; that shard is asked first. */
    ShardedStatus(Limit limit, int first) {
        this.limit = limit;
        this.shard = first;
    }

    /** The answers of a peek that asked all shards of all charges. */
    static Decision ofAllShards(Acquisition acquisition, Decision decision) {
        List<LimitStatus> told = new ArrayList<>();
        int next = 0;
        for (Charge charge : acquisition.charges()) {
            ShardedStatus status = new ShardedStatus(charge.limit(), 0);
            for (int i = 0; i < charge.limit().shards(); i++) {
                status.answers.add(decision.limits().get(next++));
            }
            told.add(status.status(status.answers.stream().allMatch(LimitStatus::refuses)));
        }
        boolean allowed = told.stream().noneMatch(LimitStatus::refuses);
        return new Decision(allowed, told, decision.source(), decision.decidedAt());
    }

    int shard() {
        return shard;
    }

    /** What that shard answered last; one asked again, because another limit went on, answers for itself again. */
    void answered(LimitStatus answer, boolean again) {
        if (again) {
            answers.set(answers.size() - 1, answer);
        } else {
            answers.add(answer);
        }
    }

    /** Goes on to the next shard, if this one has refused and there is one that was not asked. */
    boolean next() {
        boolean goesOn = last().refuses() && answers.size() < limit.shards();
        shard = goesOn ? (shard + 1) % limit.shards() : shard;
        return goesOn;
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
        return new LimitStatus(limit, remaining(), refuses ? retryAfter : Duration.ZERO, resetAfter, shard);
    }

    /** Those not asked count like the one asked last. */
    private long remaining() {
        long known = answers.stream().mapToLong(LimitStatus::remaining).sum();
        return Math.min(limit.capacity(), known + (limit.shards() - answers.size()) * last().remaining());
    }

    private LimitStatus last() {
        return answers.get(answers.size() - 1);
    }
}
