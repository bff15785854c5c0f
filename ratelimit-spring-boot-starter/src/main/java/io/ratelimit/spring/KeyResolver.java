package io.ratelimit.spring;

import org.jspecify.annotations.Nullable;

/**
 * Names the subject of a request, for a {@code key} that gives this bean's name. Must be thread-safe.
 *
 * <pre>{@code
 * @Bean
 * KeyResolver tenant() {
 *     return request -> request.header("X-Tenant");
 * }
 * }</pre>
 */
@FunctionalInterface
public interface KeyResolver {

    /** Returns the subject; null to fall back to the client's address. */
    @Nullable
    String resolve(RequestView request);

    /**
     * True if it reads the principal from elsewhere than {@link RequestView#principal}, such as from a
     * {@code SecurityContextHolder}, so that its routes must decide after authentication. A resolver that calls
     * {@link RequestView#principal} need not override this.
     */
    default boolean needsPrincipal() {
        return false;
    }
}
