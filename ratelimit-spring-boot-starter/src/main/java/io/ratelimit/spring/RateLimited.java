package io.ratelimit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a method, or of every public method of a class, of any Spring bean. On a controller class it means the
 * methods that requests are mapped to, also if they are not public; the methods of {@code Object} are never limited.
 *
 * <pre>{@code
 * @RateLimited                                             // the limit "default", its key from rate-limiter.key
 * @RateLimited("login")                                    // rate-limiter.limits.login
 * @RateLimited(value = {"burst", "hourly"}, key = "#userId", cost = "#items.size()")
 * @RateLimited(algorithm = "token-bucket", maxRequests = "10", windowSize = "1s", burst = "20")
 * }</pre>
 *
 * <p>A refused call does not run: it throws {@link io.ratelimit.RateLimitExceededException}, or the returned
 * {@code CompletionStage}, {@code Mono} or {@code Flux} fails with it; in a web request the answer is 429. All
 * annotations on one method are one decision: either every limit is charged or none is. Annotations on a method replace
 * those on its class. Works as a meta-annotation.
 *
 * <p>Methods that return a {@code CompletionStage}, {@code Mono}, {@code Flux} or another reactive type that Spring
 * adapts, such as Kotlin's {@code Flow}, and {@code suspend} functions are decided without blocking. The method then
 * runs once the decision is made, with its caller's security context, request, locale and MDC; on the calling thread if
 * the decision was immediate, otherwise on another one, which is never a thread of the store's client. Each
 * subscription is a call.
 *
 * <p>The limits come after method security, before {@code @Async}, {@code @Retryable}, transactions and caches;
 * {@code rate-limiter.order} changes that.
 *
 * <p>Like all of Spring's proxies, it does not see a bean calling itself. Where it cannot take effect, on a method that
 * is private, static or final or a bean that Spring makes too early, it stops the start of the application.
 *
 * <p>All attributes may hold {@code ${...}} placeholders. An expression that cannot be parsed, an unknown limit or a
 * number out of range stops the start of the application.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Repeatable(RateLimited.All.class)
public @interface RateLimited {

    /** Names of configured limits. With none, and no inline limit, the limit {@code default}. */
    String[] value() default {};

    /** Algorithm of an inline limit, spelled as in {@code rate-limiter.use-algo}; default {@code sliding-window-log}. */
    String algorithm() default "";

    /**
     * Name of an inline limit, in headers, metrics and keys. Inline limits of one name share their counts. Default: class
     * and method that hold the annotation, of which clients see {@code SearchController.find}.
     */
    String name() default "";

    /** Requests per window of an inline limit. */
    String maxRequests() default "";

    /** Window of an inline limit: {@code 500ms}, {@code 1m}, {@code 24h}, or a bare number of seconds; default 60 s. */
    String windowSize() default "";

    /** Burst of an inline token bucket; default {@link #maxRequests}. */
    String burst() default "";

    /**
     * Whom to count: {@code ip}, {@code principal}, {@code caller}, {@code global}, {@code header:NAME},
     * {@code cookie:NAME}, {@code param:NAME}, the name of a {@link KeyResolver} bean, or an expression that starts with
     * {@code #}, {@code @} or {@code '} and may name method arguments, as in {@code #order.customer.id}. Default:
     * {@code rate-limiter.key}.
     */
    String key() default "";

    /**
     * Names the plan of a call, whose numbers limits have instead of their own: an expression as in {@link #key}, or the name of a
     * {@link PlanResolver} bean. Default: {@code rate-limiter.plan}.
     */
    String plan() default "";

    /**
     * Names the element that limits of {@code unique-count} count, such as the device of a user: written as {@link #key} is. A call that names
     * none counts the client's address.
     */
    String element() default "";

    /**
     * The cost of a call in requests: a number, or an expression over the arguments. An expression that fails, or
     * whose value is not a number of at least 1, counts as 1.
     */
    String cost() default "";

    /**
     * The actual cost of a call, known when it has ended: an expression over the arguments and {@code #result}, which is what the
     * method returned, the value of its {@code CompletionStage} or {@code Mono}, or the last element of its {@code Flux}. The
     * difference to {@link #cost} is given back, or charged even if it does not fit. Where it fails or gives no number of at
     * least 0, the call stays charged at its cost.
     *
     * <pre>{@code
     * @RateLimited(value = "tokens", cost = "#prompt.estimate", actualCost = "#result.usage.totalTokens")
     * }</pre>
     */
    String actualCost() default "";

    /**
     * {@code failures}: only calls that fail count, which end with an exception, are cancelled, or return a {@code
     * ResponseEntity} of 400 and above. Or a list of statuses of a {@code ResponseEntity} or {@code ErrorResponse}, and of
     * simple or qualified names of exceptions, such as {@code {"401", "BadCredentialsException"}}. The others are charged
     * while they run, and then given back, so that calls at the same time cannot exceed the limit. {@code all}: all calls count.
     * Default: as each limit says.
     */
    String[] count() default {};

    /** Expression over the arguments; where it is false the call is neither limited nor counted. */
    String condition() default "";

    /**
     * The time that a call may wait until it fits, instead of being refused at once: {@code 2s}, {@code 500ms}, or a bare
     * number of seconds, at most a day. A call that would not fit in that time, after those that wait already, is still
     * refused at once. Methods that return a {@code CompletionStage}, {@code Mono} or {@code Flux} and {@code suspend}
     * functions wait without a thread; other methods wait on the calling thread, unless that is one that must not
     * block, such as an event loop. If several annotations of a method set it, the shortest applies.
     *
     * <pre>{@code
     * @RateLimited(algorithm = "token-bucket", maxRequests = "10", windowSize = "1s", key = "global", maxWait = "2s")
     * @Scheduled(fixedDelay = 10)
     * void send() {} // 10 a second
     * }</pre>
     */
    String maxWait() default "";

    /**
     * Method of the same class to call instead of a refused one, with the same parameters and optionally a last
     * {@link io.ratelimit.RateLimitExceededException}.
     */
    String fallbackMethod() default "";

    /** The policy while the store fails: {@code local}, {@code open} or {@code closed}; default as configured. */
    String onStoreFailure() default "";

    /** Holds several of them; write them one below the other instead. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @interface All {
        /** The annotations. */
        RateLimited[] value();
    }
}
