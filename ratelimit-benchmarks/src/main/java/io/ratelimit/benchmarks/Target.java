package io.ratelimit.benchmarks;

/** A bound of the median of the ratios of two readings. */
record Target(Bound bound, double ratio) {

    /** Which side of the ratio is good. */
    enum Bound {
        AT_LEAST,
        AT_MOST,
        NONE
    }

    static Target atLeast(double ratio) {
        return new Target(Bound.AT_LEAST, ratio);
    }

    static Target atMost(double ratio) {
        return new Target(Bound.AT_MOST, ratio);
    }

    /** Nothing is required; the reading stands there to be read. */
    static Target none() {
        return new Target(Bound.NONE, 0);
    }

    boolean isRequired() {
        return bound != Bound.NONE;
    }

    boolean isReachedBy(Reading measured) {
        return switch (bound) {
            case AT_LEAST -> measured.median() >= ratio;
            case AT_MOST -> measured.median() <= ratio;
            case NONE -> true;
        };
    }

    String text() {
        return switch (bound) {
            case AT_LEAST -> "≥ " + number();
            case AT_MOST -> "≤ " + number();
            case NONE -> "";
        };
    }

    private String number() {
        return ratio == Math.rint(ratio) ? Long.toString((long) ratio) : Double.toString(ratio);
    }
}
