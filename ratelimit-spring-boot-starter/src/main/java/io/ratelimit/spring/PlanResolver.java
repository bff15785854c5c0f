package io.ratelimit.spring;

import org.jspecify.annotations.Nullable;

/**
 * Names the plan of a request, for a {@code plan} that gives this bean's name. Must be thread-safe.
 *
 * <pre>{@code
 * @Bean
 * PlanResolver planOfCustomer(Customers customers) {
 *     return request -> customers.plan(request.principal());
 * }
 * }</pre>
 *
 * <p>It is asked for each request of a limit that has plans, so one that looks into a database must cache what it finds.
 */
@FunctionalInterface
public interface PlanResolver {

    /** Returns the name of the plan; null if there is none, so that each limit's own numbers apply. */
    @Nullable
    String resolve(RequestView request);

    /**
     * Returns true if it reads the principal from elsewhere than {@link RequestView#principal}, such as from a
     * {@code SecurityContextHolder}, so that its routes must decide after authentication. A resolver that calls
     * {@link RequestView#principal} need not override this.
     */
    default boolean needsPrincipal() {
        return false;
    }
}
