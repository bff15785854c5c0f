package io.ratelimit.spring.servlet;

import io.ratelimit.spring.http.ProblemResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers refused requests, for the filter and for annotated methods alike. Thread-safe. */
public final class RefusalWriter {

    /** Whether the failure is one that {@link #write} answers. */
    static boolean answers(Throwable failure) {
        return ProblemResponse.of(failure) != null;
    }

    /**
     * Answers instead of whatever the response holds so far.
     *
     * @throws IllegalArgumentException if {@link #answers} is false for the failure
     */
    void write(Throwable failure, HttpServletResponse response) throws IOException {
        ProblemResponse problem = ProblemResponse.of(failure);
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
