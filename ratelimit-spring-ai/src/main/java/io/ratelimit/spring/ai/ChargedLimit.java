package io.ratelimit.spring.ai;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientRequest;

/**
 * A limit that every call is charged to. Immutable and thread-safe.
 *
 * @param subject returns whom a call counts for; what an application passes may return null
 * @param inTokens whether it counts tokens; otherwise it counts requests
 */
record ChargedLimit(Limit limit, Function<ChatClientRequest, @Nullable String> subject, boolean inTokens) {

    /** The charge of one call, before the acquisition merges it with others of the same limit and subject. */
    record Share(Charge charge, boolean inTokens) {}

    /**
     * Returns what a call of so many tokens is charged.
     *
     * @throws IllegalArgumentException if the call has no subject
     */
    Share share(ChatClientRequest request, long tokens) {
        String whom = subject.apply(request);
        if (whom == null) {
            throw new IllegalArgumentException(
                    "limit '%s' has no subject for this call: the function that was given for it returned null, so pass what it"
                                    .formatted(limit.name())
                            + " reads, such as advisors(advisor -> advisor.param(\"tenant\", \"acme\"))");
        }
        return new Share(new Charge(limit, whom, inTokens ? Math.max(1, tokens) : 1), inTokens);
    }
}
