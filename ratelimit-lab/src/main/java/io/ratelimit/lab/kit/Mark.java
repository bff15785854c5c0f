package io.ratelimit.lab.kit;

/**
 * What one check found.
 *
 * @param finding what was seen, or why nothing could be
 */
public record Mark(String name, Result result, String finding) {

    public enum Result {
        PASSED,
        FAILED,
        /** Needs an option that was not given, or something that the limiter does not have. */
        NOT_POSSIBLE
    }

    static Mark of(String name, boolean passed, String finding) {
        return new Mark(name, passed ? Result.PASSED : Result.FAILED, finding);
    }

    static Mark notPossible(String name, String why) {
        return new Mark(name, Result.NOT_POSSIBLE, why);
    }
}
