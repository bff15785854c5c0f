package io.ratelimit.internal.call;

import io.ratelimit.Ban;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What stores need to know about limits with a ban. */
public final class Bans {

    private static final Logger LOG = LoggerFactory.getLogger(Ban.class);

    private Bans() {}

    /** Logs at DEBUG that a ban has begun, without the subject. */
    public static void logBegun(Limit limit) {
        LOG.debug("Limit '{}' begins to ban a subject", limit.name());
    }

    /** Returns the numbers of the limit's ban; throws {@link IllegalArgumentException} if it has none. */
    public static Ban check(Limit limit) {
        return limit.ban()
                .orElseThrow(() -> new IllegalArgumentException(
                        "limit '%s' has no ban: add one by withBan or the property ban".formatted(limit.name())));
    }

    /** Returns a charge that names the state to ban; throws {@link IllegalArgumentException} if the limit has no ban. */
    public static Charge charge(Limit limit, String subject) {
        check(limit);
        return anyCharge(limit, subject);
    }

    /** Returns a charge that names the state of the subject. */
    public static Charge anyCharge(Limit limit, String subject) {
        return limit.algorithm().countsElements() ? new Charge(limit, subject, "none") : new Charge(limit, subject, 1);
    }

    /** Returns whether a call that cost so much in the end is a failure that the limit's ban counts. */
    public static boolean countsFailure(Limit limit, long actual) {
        return actual > 0 && limit.ban().isPresent() && limit.ban().get().countsFailures();
    }

    /** Returns whether the limit of some charge has a ban. */
    public static boolean areIn(List<Charge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).limit().ban().isPresent()) {
                return true;
            }
        }
        return false;
    }
}
