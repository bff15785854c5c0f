package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.internal.Causes;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * The end of a call.
 *
 * @param failed whether it ended with an exception or the response of an error, or was cut off before there was a response
 * @param cutOff whether it was cancelled, its client has left before the end, or the application broke off a response that had
 *     begun
 * @param elements whether a method returned several elements
 * @param status of the response; null if there is none, or it is not known
 * @param failure the exception that it ended with; null if there was none, or it is not known
 * @param result what a method returned: the value of a stage or {@code Mono}, the last element of a {@code Flux}
 * @param header first value of that header of a response
 */
public record Ending(
        boolean failed,
        boolean cutOff,
        boolean elements,
        @Nullable Integer status,
        @Nullable Throwable failure,
        @Nullable Object result,
        Function<String, @Nullable String> header) {

    private static final int FIRST_ERROR = 400;
    private static final int SERVER_ERROR = 500;

    /** The redirect of Spring Security after a form log-in that failed, as in {@code /login?error}. */
    private static final Pattern ERROR_PAGE = Pattern.compile("\\?([^#]*&)?error([=&#]|$)");

    private static final boolean WEB =
            ClassUtils.isPresent("org.springframework.http.ResponseEntity", Ending.class.getClassLoader());

    /**
     * A response has ended.
     *
     * @param failure the exception that the application has answered; null if there was none
     */
    public static Ending response(int status, @Nullable Throwable failure, Function<String, @Nullable String> header) {
        return new Ending(isFailure(status, header), false, false, status, failure, null, header);
    }

    /** A component before the application's handlers, such as Spring Security, has answered the exception that left these. */
    public static Ending answeredElsewhere(int status, Throwable left, Function<String, @Nullable String> header) {
        return new Ending(true, false, false, status, left, null, header);
    }

    /** Instead of a response there was an exception, which another component answers. */
    public static Ending thrown(Throwable failure, Function<String, @Nullable String> header) {
        return thrown(failure, false, header);
    }

    /** A response that had begun was broken off by an exception, which nobody can answer any more. */
    public static Ending brokenOff(Throwable failure, Function<String, @Nullable String> header) {
        return thrown(failure, true, header);
    }

    private static Ending thrown(Throwable failure, boolean cutOff, Function<String, @Nullable String> header) {
        Integer status = statusOf(failure);
        return new Ending(
                true, cutOff, false, status == null ? Integer.valueOf(SERVER_ERROR) : status, failure, null, header);
    }

    /**
     * The client has left before the response has ended.
     *
     * @param status of the response that was begun; null if none was
     * @param failure the exception that the application had answered; null if there was none
     */
    public static Ending cutOff(
            @Nullable Integer status, @Nullable Throwable failure, Function<String, @Nullable String> header) {
        return new Ending(status == null || isFailure(status, header), true, false, status, failure, null, header);
    }

    /** A method has returned. */
    public static Ending returned(@Nullable Object result) {
        Integer status = WEB ? Web.status(result) : null;
        return new Ending(status != null && status >= FIRST_ERROR, false, false, status, null, result, name -> null);
    }

    /** A method has failed, after the result. */
    public static Ending failed(@Nullable Object result, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return new Ending(true, false, false, statusOf(cause), cause, result, name -> null);
    }

    /** A method was cancelled by its caller, after the result. */
    public static Ending cancelled(@Nullable Object result) {
        return new Ending(true, true, false, null, null, result, name -> null);
    }

    /** Returns the end of the same method, which returned several elements, the last of which is the result. */
    public Ending ofElements() {
        return new Ending(failed, cutOff, true, status, failure, result, header);
    }

    /** True if a stream has ended: the elements of a method, or a response of events. */
    boolean isStream() {
        return elements || isOfEvents(header.apply("Content-Type"));
    }

    /** True if a response of that type is a stream of events. */
    public static boolean isOfEvents(@Nullable String contentType) {
        return contentType != null
                && (contentType.startsWith("text/event-stream") || contentType.startsWith("application/x-ndjson"));
    }

    /** True if what was used until now may not be known yet: of a call that was cut off, or a stream that has failed. */
    boolean isPart() {
        return cutOff || (failed && isStream());
    }

    /** True if the call was cut off before its answer was known. */
    boolean isUnknown() {
        return cutOff && status == null;
    }

    boolean hasStatus(int wanted) {
        return status != null && status == wanted;
    }

    /** Returns true if the status begins with that digit. */
    boolean hasStatusClass(int hundreds) {
        return status != null && status / 100 == hundreds;
    }

    /** True if the failure or one of its causes is of a class of that name, simple or qualified, or of a subclass. */
    boolean hasFailure(String name) {
        for (Throwable cause : Causes.of(failure)) {
            for (Class<?> type = cause.getClass(); type != Object.class; type = type.getSuperclass()) {
                if (type.getName().equals(name) || type.getSimpleName().equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the status that the failure says by itself, as an {@code ErrorResponse} or by {@code @ResponseStatus}; null if none. */
    public static @Nullable Integer statusOf(Throwable failure) {
        return WEB ? Web.status(failure) : null;
    }

    private static boolean isFailure(int status, Function<String, @Nullable String> header) {
        return status >= FIRST_ERROR || leadsToErrorPage(header);
    }

    private static boolean leadsToErrorPage(Function<String, @Nullable String> header) {
        String location = header.apply("Location");
        return location != null && ERROR_PAGE.matcher(location).find();
    }

    /** A class of its own, because spring-web is optional. */
    private static final class Web {
        static @Nullable Integer status(@Nullable Object result) {
            if (result instanceof ResponseEntity<?> response) {
                return response.getStatusCode().value();
            }
            return result instanceof Throwable failure ? status(failure) : null;
        }

        private static @Nullable Integer status(Throwable failure) {
            if (failure instanceof ErrorResponse error) {
                return error.getStatusCode().value();
            }
            ResponseStatus said = AnnotatedElementUtils.findMergedAnnotation(failure.getClass(), ResponseStatus.class);
            return said == null ? null : Integer.valueOf(said.code().value());
        }
    }
}
