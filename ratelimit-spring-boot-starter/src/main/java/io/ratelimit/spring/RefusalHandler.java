package io.ratelimit.spring;

import org.jspecify.annotations.Nullable;

/**
 * Shapes the answer to refused requests, whether a route or an annotation refused them. Must be thread-safe. Of several
 * beans the first in their order that returns an answer decides.
 *
 * <pre>{@code
 * @Bean
 * RefusalHandler plainText() {
 *     return (refusal, request) -> refusal.withBody("text/plain", "Slow down");
 * }
 * }</pre>
 */
@FunctionalInterface
public interface RefusalHandler {

    /**
     * Returns the answer; null for the one that would be given without this handler.
     *
     * @param refusal status, {@code Retry-After} and the others of its headers, and a problem of RFC 9457 as its body
     */
    @Nullable
    RefusalResponse handle(RefusalResponse refusal, RequestView request);
}
