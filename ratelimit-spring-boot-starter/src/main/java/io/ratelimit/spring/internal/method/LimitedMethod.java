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
 * @param returned the type that it returns for the class that is limited, which a generic method of a superclass does not say
 * @param publicNames the names that clients see of inline limits, by the names that their counts have
 */
public record LimitedMethod(
        String name,
        List<Rule> rules,
        @Nullable Method fallback,
        Duration maxWait,
        Class<?> returned,
        Map<String, String> publicNames) {

    public LimitedMethod {
        rules = List.copyOf(rules);
        publicNames = Map.copyOf(publicNames);
    }

    /** True if something is settled when a call ends. */
    boolean endsLater() {
        return rules.stream().anyMatch(Rule::endsLater);
    }

    /** The same decision, with public names. */
    Decision forClients(Decision decision) {
        if (publicNames.isEmpty()) {
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
        String name = publicNames.get(tooMuch.limitName());
        return name == null ? tooMuch : tooMuch.withLimitName(name);
    }

    /** The same of any failure of a decision. */
    Throwable forClients(Throwable failure) {
        return failure instanceof CostExceedsCapacityException tooMuch ? forClients(tooMuch) : failure;
    }

    private static Limit renamed(Limit limit, String name) {
        return new Limit(
                name,
                limit.algorithm(),
                limit.quota(),
                limit.lease(),
                limit.shards(),
                limit.ban(),
                limit.plan(),
                limit.reportOnly());
    }

    private LimitStatus forClients(LimitStatus status) {
        String name = publicNames.get(status.limit().name());
        return name == null
                ? status
                : new LimitStatus(
                        renamed(status.limit(), name),
                        status.remaining(),
                        status.retryAfter(),
                        status.resetAfter(),
                        status.shard(),
                        status.bannedFor(),
                        status.decidedLater(),
                        status.blocked(),
                        status.givenBack());
    }
}
