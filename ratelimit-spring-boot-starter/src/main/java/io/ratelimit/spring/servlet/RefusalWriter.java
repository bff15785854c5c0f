package io.ratelimit.spring.servlet;

import io.ratelimit.spring.http.ProblemResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Predicate;

/** Answers refused requests, for the filter and for annotated methods alike. Thread-safe. */
public final class RefusalWriter {

    /** Whether the failure is one that {@link #write} answers. */
    static boolean answers(Throwable failure) {
        return ProblemResponse.of(failure, name -> true) != null;
    }

    /**
     * Answers instead of whatever the response holds so far.
     *
     * @param shown whether clients know of a limit of that name
     * @throws IllegalArgumentException if {@link #answers} is false for the failure
     */
    void write(Throwable failure, Predicate<String> shown, HttpServletResponse response) throws IOException {
        ProblemResponse problem = ProblemResponse.of(failure, shown);
        if (problem == null) {
            throw new IllegalArgumentException("not a refusal: " + failure, failure);
        }
        write(problem, response);
    }

    void write(ProblemResponse problem, HttpServletResponse response) throws IOException {
        response.setStatus(problem.status());
        problem.headers().forEach(response::setHeader);
        byte[] body = problem.bytes();
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }
}
