package io.ratelimit.sample.playground;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.Window;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one client that arrive at one instant, and the limit that decides them.
 *
 * <p>The bounds keep what a page can leave in the store small: four names of limits, sixty lengths of windows, 3,600
 * parts of one, and subjects that expire within two minutes.
 *
 * @param acquisition what each of the requests asks for
 * @param arriving how many requests arrive; 0 looks at the limit and charges nothing
 * @param at the instant in µs by the store's clock at which they are decided, now if empty
 */
record PlaygroundRequest(Acquisition acquisition, int arriving, OptionalLong at) {

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
    private static final long LAST_INSTANT = 1L << 53;

    /** @throws IllegalArgumentException if a number is out of bounds or no limit can have it */
    static PlaygroundRequest of(Parameters parameters) {
        long requests = parameters
                .number("requests", 0, MOST_REQUESTS, "that is the largest burst of the playground")
                .orElse(1);
        OptionalLong at = parameters.number("at", 0, LAST_INSTANT, "it is an instant in µs since 1970");
        return new PlaygroundRequest(acquisition(parameters), (int) requests, at);
    }

    private static Acquisition acquisition(Parameters parameters) {
        Limit limit = limit(parameters);
        String run = parameters.text("run");
        if (run == null || !RUN.matcher(run).matches()) {
            throw new IllegalArgumentException("run must be 1 to 16 lower-case letters and digits");
        }
        long client = parameters
                .number("client", 0, MOST_CLIENTS - 1, "a run has at most ten clients")
                .orElse(0);
        long cost = parameters
                .number("cost", 1, LARGEST_LIMIT, "that is the largest limit of the playground")
                .orElse(1);
        Acquisition acquisition = Acquisition.of(limit, "playground:" + run + ":" + client, cost);
        String policy = parameters.text("onStoreFailure");
        return policy == null ? acquisition : acquisition.withOnStoreFailure(policy(policy));
    }

    private static Limit limit(Parameters parameters) {
        long maxRequests =
                parameters.required("maxRequests", 1, LARGEST_LIMIT, "that is the largest limit of the playground");
        long window = parameters.required("window", 1, LONGEST_WINDOW, "a run should show more than one window");
        Algorithm algorithm = algorithm(parameters.text("algorithm"));
        Limit limit = Limit.of("playground-" + algorithm.label(), algorithm, maxRequests, Duration.ofSeconds(window));
        OptionalLong burst =
                parameters.number("burst", 1, LARGEST_LIMIT, "that is the largest burst of the playground");
        OptionalLong buckets =
                parameters.number("buckets", 2, Window.MOST_BUCKETS, "the window is divided into so many parts");
        Limit bursting = burst.isEmpty() ? limit : limit.withBurst(burst.getAsLong());
        return buckets.isEmpty() ? bursting : bursting.withBuckets((int) buckets.getAsLong());
    }

    private static Algorithm algorithm(@Nullable String name) {
        Algorithm named = Algorithm.named(name == null ? "" : name);
        if (!OFFERED.contains(named)) {
            throw new IllegalArgumentException("algorithm '%s' is not in the playground: use one of %s"
                    .formatted(
                            named.label(),
                            OFFERED.stream().map(Algorithm::label).toList()));
        }
        return named;
    }

    private static FailurePolicy policy(String name) {
        return Arrays.stream(FailurePolicy.values())
                .filter(policy -> policy.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "on-store-failure '%s' is not a policy: use local, open or closed".formatted(name)));
    }
}
