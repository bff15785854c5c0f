package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;

/**
 * Admits at most L distinct elements in each window of the clock, such as the devices of an account in a day. An element
 * that was admitted in the window is admitted again, however often.
 *
 * <p>What other algorithms call a cost is the number of an element here. An exact count keeps each of them, so that an element
 * is admitted again because it was before. {@link ApproximateElements} do not: they also admit, and do not count, each new
 * element that they take for a known one.
 *
 * <p>When the clock steps back to an earlier window, the subject's time stays at the start of its window and runs ahead of
 * the clock until the window is over. The window is therefore no shorter than without the step, and starts anew at most W
 * after it.
 *
 * <p>State: the start of the window, the elements in it, and how far the subject's time is ahead of the clock.
 */
public final class UniqueCount implements Tally {

    private final Elements elements;
    private long startMicros;
    private long aheadMicros;

    UniqueCount(Elements elements) {
        this.elements = elements;
    }

    @Override
    public long now(Quota quota, long clockMicros) {
        if (elements.size() > 0) {
            aheadMicros = Math.max(aheadMicros, startMicros - clockMicros);
        }
        return clockMicros + aheadMicros;
    }

    /** Nothing is ahead: one call has at most one element of a subject, however many limits it is charged to. */
    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long element, long ahead) {
        boolean isOver = isOver(quota, nowMicros);
        boolean isKnown = !isOver && elements.contains(element);
        return isKnown || used(quota, nowMicros) + 1 <= quota.maxRequests() ? 0 : leftOfWindow(quota, nowMicros);
    }

    @Override
    public void take(Quota quota, long nowMicros, long element) {
        if (isOver(quota, nowMicros)) {
            long clockMicros = nowMicros - aheadMicros;
            elements.clear();
            aheadMicros = 0;
            startMicros = clockMicros - clockMicros % quota.windowMicros();
        }
        elements.add(element);
    }

    /** Does nothing: another call may have had the same element since. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {}

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros));
    }

    @Override
    public long heapBytes() {
        return 60 + elements.heapBytes();
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : leftOfWindow(quota, nowMicros);
    }

    private long used(Quota quota, long nowMicros) {
        return isOver(quota, nowMicros) ? 0 : elements.size();
    }

    private boolean isOver(Quota quota, long nowMicros) {
        return elements.size() == 0 || nowMicros - startMicros >= quota.windowMicros();
    }

    private long leftOfWindow(Quota quota, long nowMicros) {
        return startMicros + quota.windowMicros() - nowMicros;
    }
}
