package io.ratelimit.sample.playground;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one client that arrive at one instant, and the limit that decides them. Every field is a parameter of the
 * HTTP request.
 *
 * <p>The bounds keep what a page can leave in the store small: four names of limits, sixty windows, and subjects that
 * expire within two minutes.
 *
 * @param window in seconds
 * @param burst capacity of a token bucket, {@code maxRequests} by default
 * @param requests how many requests arrive, 1 by default; 0 looks at the limit and charges nothing
 * @param run separates the counts of one run from those of all others
 * @param client whose quota of the run is charged, 0 by default
 * @param onStoreFailure the application's policy by default
 * @param at the instant in µs by the store's clock at which the requests are decided, now by default
 */
record PlaygroundRequest(
        @Nullable String algorithm,
        long maxRequests,
        int window,
        @Nullable Long burst,
        @Nullable Long cost,
        @Nullable Integer requests,
        @Nullable String run,
        @Nullable Integer client,
        @Nullable String onStoreFailure,
        @Nullable Long at) {

    /** Those of time: what is in flight is not released here. */
    private static final Set<Algorithm> OFFERED = EnumSet.of(
            Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_WINDOW_COUNTER,
            Algorithm.SLIDING_WINDOW_LOG,
            Algorithm.TOKEN_BUCKET);

    private static final Pattern RUN = Pattern.compile("[a-z0-9]{1,16}");
    private static final int LARGEST_LIMIT = 1_000;
    private static final int LONGEST_WINDOW = 60;
    private static final int MOST_REQUESTS = 100;
    private static final int MOST_CLIENTS = 10;

    /** @throws IllegalArgumentException if a number is out of bounds or no limit can have it */
    Acquisition acquisition() {
        int who = client == null ? 0 : client;
        check("client", who, 0, MOST_CLIENTS - 1, "a run has at most ten clients");
        if (run == null || !RUN.matcher(run).matches()) {
            throw new IllegalArgumentException("run must be 1 to 16 lower-case letters and digits");
        }
        Acquisition acquisition = Acquisition.of(limit(), "playground:" + run + ":" + who, cost == null ? 1 : cost);
        return onStoreFailure == null ? acquisition : acquisition.withOnStoreFailure(policy(onStoreFailure));
    }

    /** Returns how many requests arrive; throws if it is out of bounds. */
    int arriving() {
        int arriving = requests == null ? 1 : requests;
        check("requests", arriving, 0, MOST_REQUESTS, "that is the largest burst of the playground");
        return arriving;
    }

    private Limit limit() {
        Algorithm named = Algorithm.named(algorithm == null ? "" : algorithm);
        if (!OFFERED.contains(named)) {
            throw new IllegalArgumentException("algorithm '%s' is not in the playground: use one of %s"
                    .formatted(
                            named.label(),
                            OFFERED.stream().map(Algorithm::label).toList()));
        }
        check("window", window, 1, LONGEST_WINDOW, "a run should show more than one window");
        Limit limit = Limit.of("playground-" + named.label(), named, maxRequests, Duration.ofSeconds(window));
        Limit bursting = burst == null ? limit : limit.withBurst(burst);
        check("limit", maxRequests, 1, LARGEST_LIMIT, "that is the largest limit of the playground");
        check("burst", bursting.capacity(), 1, LARGEST_LIMIT, "that is the largest burst of the playground");
        return bursting;
    }

    private static FailurePolicy policy(String name) {
        return Arrays.stream(FailurePolicy.values())
                .filter(policy -> policy.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "on-store-failure '%s' is not a policy: use local, open or closed".formatted(name)));
    }

    private static void check(String what, long value, long least, long most, String because) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "%s '%d' must be at least %d and at most %d: %s".formatted(what, value, least, most, because));
        }
    }
}
