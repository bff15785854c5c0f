package io.ratelimit.lab.partner;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An instance that sends at once, and obeys the partner request by request. */
final class RetryingInstance implements Instance {

    private final PartnerHttp http;

    RetryingInstance(PartnerHttp http) {
        this.http = http;
    }

    @Override
    public void warmUp() {
        http.warmUp();
    }

    @Override
    public Attempt send(int number, Duration patience) {
        return http.send(number);
    }

    @Override
    public void refused(Duration retryAfter) {
        try {
            TimeUnit.NANOSECONDS.sleep(retryAfter.toNanos());
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
