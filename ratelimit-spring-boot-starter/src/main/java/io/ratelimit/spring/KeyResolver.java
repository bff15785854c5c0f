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

    /** The subject; null to fall back to the client's address. */
    @Nullable
    String resolve(RequestView request);

    /**
     * Whether it reads who is authenticated elsewhere than from {@link RequestView#principal}, such as from a
     * {@code SecurityContextHolder}, so that its routes decide after authentication. Those of a resolver that asks its
     * request do so by themselves.
     */
    default boolean needsPrincipal() {
        return false;
    }
}
