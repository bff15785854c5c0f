package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.Warning;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of the query that a key names. Warns once if none of the first hundred requests with a body had it: it is most
 * likely in the body, which no key reads, so that all users of an address are counted together. Thread-safe.
 */
final class QueryParameter {

    private static final int FIRST = 100;

    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private final String name;
    private final String where;
    private final Warning warning = new Warning(MessageCode.PARAMETER_IN_BODY);
    private final AtomicInteger missed = new AtomicInteger();
    private volatile boolean watched = true;

    QueryParameter(String name, String where) {
        this.name = name;
        this.where = where;
    }

    /** Returns its first value; null if the request has none, or there is no request. */
    @Nullable
    String of(Call call) {
        RequestView request = call.request();
        if (request == null) {
            return null;
        }
        String value = request.param(name);
        if (watched && !call.isExplained() && WITH_BODY.contains(request.method())) {
            watch(call, value);
        }
        return value;
    }

    private void watch(Call call, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            watched = false;
        } else if (missed.incrementAndGet() == FIRST) {
            watched = false;
            call.warn(
                    warning,
                    "{}: none of the first {} requests with a body had the query parameter '{}', so that all users of an"
                            + " address are counted together. No key reads a body: count by an argument of the method that"
                            + " answers, with @RateLimited(key = \"#body.{}\")",
                    where,
                    FIRST,
                    name,
                    name);
        }
    }
}
