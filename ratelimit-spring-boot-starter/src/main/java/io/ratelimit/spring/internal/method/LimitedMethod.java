package io.ratelimit.spring.internal.method;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.internal.rule.Rule;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules that the annotations of one method declare. Immutable and thread-safe.
 *
 * @param name class and method
 * @param fallback what to call instead of a refused method
 * @param maxWait how long a call may wait until it fits; zero if it does not wait
 * @param publicLimits inline limits under the names that clients see, by the names that their counts have
 */
public record LimitedMethod(
        String name, List<Rule> rules, @Nullable Method fallback, Duration maxWait, Map<String, Limit> publicLimits) {

    public LimitedMethod {
        rules = List.copyOf(rules);
        publicLimits = Map.copyOf(publicLimits);
    }

    /** True if something is settled when a call ends. */
    boolean endsLater() {
        return rules.stream().anyMatch(Rule::endsLater);
    }

    /** The same decision, with public names. */
    Decision forClients(Decision decision) {
        if (publicLimits.isEmpty()) {
            return decision;
        }
        List<LimitStatus> statuses =
                decision.limits().stream().map(this::forClients).toList();
        return new Decision(
                decision.allowed(),
                statuses,
                decision.source(),
                decision.decidedAt(),
                decision.taken(),
                decision.reported());
    }

    /** The same failure, with the public name. */
    CostExceedsCapacityException forClients(CostExceedsCapacityException tooMuch) {
        Limit named = publicLimits.get(tooMuch.limitName());
        return named == null ? tooMuch : new CostExceedsCapacityException(named, tooMuch.cost());
    }

    private LimitStatus forClients(LimitStatus status) {
        Limit named = publicLimits.get(status.limit().name());
        return named == null
                ? status
                : new LimitStatus(
                        named,
                        status.remaining(),
                        status.retryAfter(),
                        status.resetAfter(),
                        status.shard(),
                        status.bannedFor(),
                        status.decidedLater(),
                        status.blocked());
    }
}
