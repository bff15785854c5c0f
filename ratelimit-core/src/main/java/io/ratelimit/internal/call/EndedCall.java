package io.ratelimit.internal.call;

import io.ratelimit.internal.call.OpenCalls.Entry;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The end of a call, and the entries of calls in flight that it was in. The first attempt takes its cost away, because after a step of
 * Redis' clock the entry has another time; a repeated one says how much may stay of the entry. Both in turn would
 * free too much or too little of calls that share one: so once an end of an entry is repeated, all that follow say how
 * much may stay, and the repeated one waits until Redis makes none any more that takes away. Thread-safe.
 */
public final class EndedCall {

    /** The end of a call that was not in flight. */
    public static final EndedCall NONE = new EndedCall(List.of());

    /** One for each charge; that of other algorithms is unknown. */
    private final List<Entry> entries;

    EndedCall(List<Entry> entries) {
        this.entries = entries;
    }

    /** Returns what the first attempt says of each charge: 0, or one more than what may stay of its entry; what is given for all others. */
    public long[] first(long[] others) {
        return among(others, entries.stream().mapToLong(Entry::first).toArray());
    }

    /** Returns the same for an attempt that may be made a second time. */
    public long[] repeated(long[] others) {
        return among(others, most());
    }

    /** Returns one more than what may stay of the entry of each charge now; 0 if that is not known. */
    public long[] most() {
        return entries.stream().mapToLong(Entry::most).toArray();
    }

    /** Returns the charges whose end may be made a second time. */
    public int[] known() {
        long[] most = most();
        return IntStream.range(0, most.length).filter(i -> most[i] > 0).toArray();
    }

    /** Returns the end of these charges alone. */
    public EndedCall of(int[] charges) {
        return new EndedCall(Arrays.stream(charges).mapToObj(entries::get).toList());
    }

    /**
     * Says that it is made again. Returns from when on.
     *
     * @param fromNanos not before
     */
    public long repeatFromNanos(long fromNanos) {
        long from = fromNanos;
        for (Entry entry : entries) {
            if (entry != Entry.UNKNOWN) {
                from = entry.repeat(from);
            }
        }
        return from;
    }

    private static long[] among(long[] others, long[] most) {
        long[] all = others.clone();
        for (int i = 0; i < most.length; i++) {
            all[i] = most[i] > 0 ? most[i] : all[i];
        }
        return all;
    }
}
