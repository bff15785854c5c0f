package io.ratelimit.internal.call;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.SubjectHash;
import java.util.Comparator;

/** The identity of a state in every store and cache: limit and subject. Charges with equal ids share their counts. */
public record StateId(LimitId limit, String subject) implements Comparable<StateId> {

    private static final Comparator<StateId> ORDER = Comparator.comparing((StateId id) -> id.limit.name())
            .thenComparing(id -> id.limit.algorithm())
            .thenComparing(id -> id.limit.reportOnly())
            .thenComparing(id -> id.limit.window().micros())
            .thenComparing(id ->
                    id.limit.window().period().map(CalendarPeriod::toString).orElse(""))
            .thenComparing(id -> id.limit.window().buckets())
            .thenComparing(StateId::subject);

    public static StateId of(Charge charge) {
        return of(charge.limit(), charge.subject());
    }

    public static StateId of(Limit limit, String subject) {
        return new StateId(LimitId.of(limit), subject);
    }

    /** Returns the same with a subject that is short enough to be kept, however long clients make it. */
    public static StateId shortened(Limit limit, String subject) {
        return of(limit, SubjectHash.shortened(subject));
    }

    @Override
    public int compareTo(StateId other) {
        return ORDER.compare(this, other);
    }
}
