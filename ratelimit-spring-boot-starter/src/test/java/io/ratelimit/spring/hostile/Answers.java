package io.ratelimit.spring.hostile;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts requests by what became of them. Thread-safe. */
final class Answers {

    private static final int REFUSED = 429;

    private final AtomicIntegerArray byStatus = new AtomicIntegerArray(600);

    /** By the first answer, for what follows answers what only looked like a request; by 0 if there is none. */
    void count(List<RawResponse> responses) {
        byStatus.incrementAndGet(responses.isEmpty() ? 0 : responses.get(0).status());
    }

    int total() {
        return between(0, 600);
    }

    @Override
    public String toString() {
        return "%,d 2xx, %,d 3xx, %,d 429, %,d other 4xx, %,d 5xx, %,d cut off"
                .formatted(
                        between(200, 300),
                        between(300, 400),
                        byStatus.get(REFUSED),
                        between(400, 500) - byStatus.get(REFUSED),
                        between(500, 600),
                        byStatus.get(0));
    }

    private int between(int first, int end) {
        int sum = 0;
        for (int status = first; status < end; status++) {
            sum += byStatus.get(status);
        }
        return sum;
    }
}
