package io.ratelimit.spring.internal.client;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.spring.internal.rule.SubjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A partner that the application calls, and what limits that. Immutable and thread-safe.
 *
 * @param name the name below {@code rate-limiter.clients}
 * @param limits all of which a request must pass
 * @param key whose quota a request takes
 * @param obeyed what is believed of its answers
 * @param maxWait how long a request may wait for quota
 * @param maxBlock for how long one answer stops all requests at most
 */
public record Remote(
        String name,
        List<RemoteHost> hosts,
        List<Limit> limits,
        SubjectKey key,
        List<ObeyedHeaders> obeyed,
        Duration maxWait,
        Duration maxBlock) {

    public Remote {
        hosts = List.copyOf(hosts);
        limits = List.copyOf(limits);
        obeyed = List.copyOf(obeyed);
    }

    Acquisition acquisition(String subject) {
        List<Charge> charges =
                limits.stream().map(limit -> new Charge(limit, subject, 1)).toList();
        return new Acquisition(charges, Optional.empty(), 1, maxWait);
    }
}
