package io.ratelimit.lab.peer;

import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;

/** Says what it reads as the time. */
public final class ClockReader implements Limiter {

    public ClockReader(Setup setup) {}

    @Override
    public Answer tryAcquire(String subject, long cost) {
        return Answer.of(true).decidedAt(System.currentTimeMillis());
    }
}
