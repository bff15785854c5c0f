package io.ratelimit.spring.internal.web;

import graphql.ErrorClassification;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.schema.DataFetchingEnvironment;
import io.ratelimit.spring.OutboundLimitExceededException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.graphql.execution.DataFetcherExceptionResolverAdapter;
import org.springframework.graphql.execution.ErrorType;
import org.springframework.graphql.execution.SubscriptionExceptionResolver;
import reactor.core.publisher.Mono;

/**
 * Makes a refusal an error of the classification {@code RATE_LIMITED}, that of a partner's limit one of {@code OUTBOUND_LIMITED},
 * and a store that gives no answer one of {@code STORE_UNAVAILABLE}, each with the seconds to wait as the extension {@code
 * retryAfter}. Thread-safe.
 */
public final class RefusalErrorResolver extends DataFetcherExceptionResolverAdapter
        implements SubscriptionExceptionResolver {

    /** The {@code extensions.classification} that GraphQL clients see. */
    enum Refusal implements ErrorClassification {
        RATE_LIMITED,
        OUTBOUND_LIMITED,
        STORE_UNAVAILABLE
    }

    @Override
    protected @Nullable GraphQLError resolveToSingleError(Throwable failure, DataFetchingEnvironment environment) {
        return error(failure, GraphqlErrorBuilder.newError(environment));
    }

    /** A subscription is refused when its stream is subscribed to, which has no environment any more. */
    @Override
    public Mono<List<GraphQLError>> resolveException(Throwable failure) {
        return Mono.justOrEmpty(error(failure, GraphqlErrorBuilder.newError())).map(List::of);
    }

    private static @Nullable GraphQLError error(Throwable failure, GraphqlErrorBuilder<?> error) {
        Throwable refusal = ProblemResponse.refusalIn(failure);
        if (refusal == null) {
            return null;
        }
        ProblemResponse problem = ProblemResponse.of(refusal);
        error.errorType(
                        refusal instanceof OutboundLimitExceededException
                                ? Refusal.OUTBOUND_LIMITED
                                : classification(problem.status()))
                .message("%s", problem.title());
        String seconds = problem.headers().get("Retry-After");
        return seconds == null
                ? error.build()
                : error.extensions(Map.of("retryAfter", inSeconds(seconds))).build();
    }

    /** Returns a number that fits GraphQL's {@code Int}, which has 32 bits: 68 years at most. */
    private static int inSeconds(String seconds) {
        return (int) Math.min(Long.parseLong(seconds), Integer.MAX_VALUE);
    }

    private static ErrorClassification classification(int status) {
        return switch (status) {
            case 429 -> Refusal.RATE_LIMITED;
            case 503 -> Refusal.STORE_UNAVAILABLE;
            default -> ErrorType.BAD_REQUEST;
        };
    }
}
