package io.ratelimit.spring.internal.web;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.internal.Causes;
import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.InvalidCostException;
import io.ratelimit.spring.internal.rule.RequestDeniedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A problem of RFC 9457 for each way to refuse a request. Its headers are written whatever {@code rate-limiter.headers} says; how
 * the limits stand is written by {@link RateLimitHeaders}. Immutable.
 *
 * @param members further members of the body, as JSON
 */
public record ProblemResponse(int status, Map<String, String> headers, String type, String title, String members) {

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

    /**
     * Returns the answer to a failure.
     *
     * @throws IllegalArgumentException if the failure is not of a limit
     */
    public static ProblemResponse of(Throwable failure) {
        ProblemResponse found = find(failure);
        if (found == null) {
            throw new IllegalArgumentException("not a refusal: " + failure, failure);
        }
        return found;
    }

    private static @Nullable ProblemResponse find(Throwable failure) {
        if (failure instanceof RateLimitExceededException exceeded && exceeded.decision() != null) {
            return quotaExceeded(exceeded.decision());
        }
        if (failure instanceof OutboundLimitExceededException outbound && outbound.decision() != null) {
            return temporaryReducedCapacity(retryAfterSeconds(outbound.decision()));
        }
        if (failure instanceof StoreUnavailableException) {
            return temporaryReducedCapacity(1);
        }
        if (failure instanceof InvalidCostException) {
            return invalidCost();
        }
        if (failure instanceof RequestDeniedException) {
            return denied();
        }
        return failure instanceof CostExceedsCapacityException tooMuch ? costExceedsCapacity(tooMuch) : null;
    }

    /** Returns whether {@link #of} answers the failure. */
    public static boolean answers(Throwable failure) {
        return find(failure) != null;
    }

    /**
     * Returns the failure itself, or the first of its causes, that {@link #of} answers. Null if there is none, or if the
     * application has wrapped it in an exception that has a status of its own.
     */
    public static @Nullable Throwable refusalIn(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (answers(cause)) {
                return cause;
            }
            if (Ending.statusOf(cause) != null) {
                return null;
            }
        }
        return null;
    }

    /**
     * Returns the headers of a refused decision that apply to a response without a body, as Spring Cloud Gateway's is, too.
     *
     * @param seconds returns what the response tells for a true wait
     */
    public static Map<String, String> headers(Decision refused, LongUnaryOperator seconds) {
        return Map.of(
                "Retry-After",
                String.valueOf(seconds.applyAsLong(retryAfterSeconds(refused))),
                "Cache-Control",
                "no-store");
    }

    /** Returns the seconds after which a refused call may be repeated, rounded up. */
    private static long retryAfterSeconds(Decision refused) {
        return Math.max(1, RateLimitHeaders.ceilSeconds(refused.retryAfter()));
    }

    /** Returns a 429 for a refused decision, which names the limits that refuse. */
    public static ProblemResponse quotaExceeded(Decision decision) {
        List<String> names = decision.refusing().stream()
                .map(status -> status.limit().name())
                .distinct()
                .toList();
        return problem(
                429,
                Map.of("Retry-After", String.valueOf(retryAfterSeconds(decision))),
                TYPES + "quota-exceeded",
                "Request cannot be satisfied as assigned quota has been exceeded",
                violatedPolicies(names));
    }

    /**
     * Returns a 503 for a call under the policy {@code closed} that the store did not decide, and for one that needs a partner
     * whose quota is used up.
     */
    static ProblemResponse temporaryReducedCapacity(long seconds) {
        return problem(
                503,
                Map.of("Retry-After", String.valueOf(seconds)),
                TYPES + "temporary-reduced-capacity",
                "Request cannot be satisfied due to temporary server capacity constraints",
                "");
    }

    /** Returns a 400 for a call that could never fit: waiting would not help, so nothing says when to retry. */
    static ProblemResponse costExceedsCapacity(CostExceedsCapacityException tooMuch) {
        return problem(
                400,
                Map.of(),
                "about:blank",
                "Request costs more than its limit can ever admit",
                violatedPolicies(List.of(tooMuch.limitName())));
    }

    /** Returns a 400 for a request whose header names no cost. */
    static ProblemResponse invalidCost() {
        return problem(400, Map.of(), "about:blank", "Request names an invalid cost", "");
    }

    /** Returns a 403 for a request that is denied, whatever it would be charged. */
    static ProblemResponse denied() {
        return problem(403, Map.of(), "about:blank", "Forbidden", "");
    }

    /** Returns a 400 for a path that cannot be decoded, so that no route can be matched. */
    public static ProblemResponse badPath() {
        return problem(400, Map.of(), "about:blank", "Request path is malformed", "");
    }

    /** Returns the same with another {@code Retry-After}, if it has one. */
    public ProblemResponse retriedAfter(LongUnaryOperator seconds) {
        Map<String, String> others = new LinkedHashMap<>(headers);
        others.computeIfPresent(
                "Retry-After", (name, value) -> String.valueOf(seconds.applyAsLong(Long.parseLong(value))));
        return new ProblemResponse(status, others, type, title, members);
    }

    /** Returns the part of the message codes that replace its texts. */
    public String code() {
        if (type.startsWith(TYPES)) {
            return type.substring(TYPES.length());
        }
        return status == 403 ? "denied" : "bad-request";
    }

    /** Returns the answer with its own title. */
    public RefusalResponse response() {
        return response(title, null);
    }

    /** Returns the answer with other texts. */
    public RefusalResponse response(String otherTitle, @Nullable String detail) {
        String body = "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d%s%s}"
                .formatted(
                        type,
                        escaped(otherTitle),
                        status,
                        detail == null ? "" : ",\"detail\":\"" + escaped(detail) + '"',
                        members);
        return new RefusalResponse(status, headers, body);
    }

    /** A limit's name holds neither quote, backslash nor control, so that members need no escaping. */
    private static ProblemResponse problem(
            int status, Map<String, String> extra, String type, String title, String members) {
        Map<String, String> headers = new LinkedHashMap<>(extra);
        headers.put("Cache-Control", "no-store");
        headers.put("Content-Type", "application/problem+json");
        return new ProblemResponse(status, headers, type, title, members);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars()
                .forEach(c -> escaped.append(
                        c < ' ' || c == '"' || c == '\\' ? "\\u%04x".formatted(c) : String.valueOf((char) c)));
        return escaped.toString();
    }

    private static String violatedPolicies(List<String> names) {
        return names.isEmpty()
                ? ""
                : names.stream()
                        .map(name -> '"' + name + '"')
                        .collect(Collectors.joining(",", ",\"violated-policies\":[", "]"));
    }
}
