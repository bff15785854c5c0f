package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The element that limits of {@link io.ratelimit.Algorithm#UNIQUE_COUNT} count, named as a subject is. A call that names none
 * counts the client's address, so that no client bypasses a limit by leaving it out. Thread-safe.
 */
public final class Element {

    private final SubjectKey key;
    private final String where;
    private final Warning absent = new Warning(MessageCode.ELEMENT_ABSENT);

    /** @param where the route or annotated method, for warnings */
    public Element(SubjectKey key, String where) {
        this.key = key;
        this.where = where;
    }

    /**
     * Checks that a rule has an element of its own if one of its limits counts elements, and none otherwise.
     *
     * @throws InvalidRateLimitException if that is not so
     */
    public static void check(@Nullable Element element, SubjectKey key, List<Limit> limits, String where) {
        for (Limit limit : limits) {
            if (limit.algorithm().countsElements()) {
                if (element == null) {
                    throw new InvalidRateLimitException(
                            MessageCode.ALGORITHM_INVALID,
                            where,
                            "limit '%s' counts distinct elements: name what it counts as element, such as header:X-Device"
                                    .formatted(limit.name()));
                }
                element.checkDiffersFrom(key, limit);
                return;
            }
        }
        if (element != null) {
            throw new InvalidRateLimitException(
                    MessageCode.ALGORITHM_INVALID,
                    where,
                    "element '%s' is for limits of unique-count, and there are only %s: leave it out, or set use-algo: unique-count"
                            .formatted(
                                    element.key.text(),
                                    limits.stream().map(Limit::name).toList()));
        }
    }

    private void checkDiffersFrom(SubjectKey subject, Limit limit) {
        if (key.text().equals(subject.text())) {
            throw new InvalidRateLimitException(
                    MessageCode.ELEMENT_INVALID,
                    where,
                    ("element '%s' is the key, too, so that each subject has one and limit '%s' never refuses: name what differs"
                                    + " between the calls of a subject, such as header:X-Device")
                            .formatted(key.text(), limit.name()));
        }
    }

    boolean needsRequest() {
        return key.needsRequest();
    }

    /**
     * Returns the element that the call names.
     *
     * @param unresolved is run if it names none
     */
    public String of(Call call, Runnable unresolved) {
        return key.subject(call, () -> {
            call.warn(absent, "{}: element '{}' names nothing, the client's address is counted", where, key.text());
            unresolved.run();
        });
    }
}
