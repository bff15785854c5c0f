package io.ratelimit.lab.known;

import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;

/** Admits everything. The lab must see it. */
public final class AdmitsAll implements Limiter {

    private final Setup setup;

    public AdmitsAll(Setup setup) {
        this.setup = setup;
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        return Answer.of(true).decidedAt(setup.clock().nowMicros());
    }
}
