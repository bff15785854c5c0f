package io.ratelimit.spring.rule;

import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/**
 * How a call ended.
 *
 * @param failed whether it ended with an exception or the response of an error, or was cancelled
 * @param result what a method returned: the value of a stage or {@code Mono}, the last element of a {@code Flux}
 * @param header first value of that header of a response
 */
public record Ending(boolean failed, @Nullable Object result, Function<String, @Nullable String> header) {

    private static final int FIRST_ERROR = 400;

    /** Where form log-ins of Spring Security lead those that failed, as in {@code /login?error}. */
    private static final Pattern ERROR_PAGE = Pattern.compile("\\?([^#]*&)?error([=&#]|$)");

    private static final boolean WEB =
            ClassUtils.isPresent("org.springframework.http.ResponseEntity", Ending.class.getClassLoader());

    /**
     * A response has ended.
     *
     * @param cutOff whether it ended with an exception, or its client has left
     */
    public static Ending response(boolean cutOff, int status, Function<String, @Nullable String> header) {
        return new Ending(cutOff || status >= FIRST_ERROR || leadsToErrorPage(header), null, header);
    }

    /** A method has returned. */
    public static Ending returned(@Nullable Object result) {
        return new Ending(WEB && Web.isError(result), result, name -> null);
    }

    /** A method has failed or was cancelled, after the result. */
    public static Ending failed(@Nullable Object result) {
        return new Ending(true, result, name -> null);
    }

    private static boolean leadsToErrorPage(Function<String, @Nullable String> header) {
        String location = header.apply("Location");
        return location != null && ERROR_PAGE.matcher(location).find();
    }

    /** Apart, because spring-web is optional. */
    private static final class Web {
        static boolean isError(@Nullable Object result) {
            return result instanceof ResponseEntity<?> response
                    && response.getStatusCode().isError();
        }
    }
}
