package io.ratelimit.spring.rule;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended.
 *
 * @param failed whether it ended with an exception or a response of 400 and above, or was cancelled
 * @param result what a method returned: the value of a stage or {@code Mono}, the last element of a {@code Flux}
 * @param header first value of that header of a response
 */
public record Ending(boolean failed, @Nullable Object result, Function<String, @Nullable String> header) {

    /** A method has returned. */
    public static Ending returned(@Nullable Object result) {
        return new Ending(false, result, name -> null);
    }

    /** A method has failed or was cancelled, after the result. */
    public static Ending failed(@Nullable Object result) {
        return new Ending(true, result, name -> null);
    }
}
