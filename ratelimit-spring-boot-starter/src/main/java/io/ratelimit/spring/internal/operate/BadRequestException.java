package io.ratelimit.spring.internal.operate;

/** A parameter of the endpoint that cannot be used. The message says which, and never quotes a subject. */
final class BadRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BadRequestException(String message) {
        super(message);
    }
}
