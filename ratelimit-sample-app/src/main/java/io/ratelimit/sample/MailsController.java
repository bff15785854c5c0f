package io.ratelimit.sample;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Sends as many of a user's mails as the limit {@code mails} has left, in one decision. */
@RestController
class MailsController {

    private final RateLimiter limiter;
    private final Limit mails;

    MailsController(RateLimiter limiter, @Qualifier("mails") Limit mails) {
        this.limiter = limiter;
        this.mails = mails;
    }

    @PostMapping("/mails")
    String send(
            @RequestHeader(name = "X-User", defaultValue = "nobody") String user,
            @RequestParam(defaultValue = "20") int count) {
        Decision decision = limiter.acquireUpTo(Acquisition.of(mails, user), Math.max(1, count));
        if (!decision.allowed()) {
            throw new RateLimitExceededException(decision);
        }
        return "sent %d of %d".formatted(decision.taken(), Math.max(1, count));
    }
}
