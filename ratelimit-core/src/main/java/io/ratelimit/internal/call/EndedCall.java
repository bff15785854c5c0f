package io.ratelimit.internal.call;

import io.ratelimit.internal.call.OpenCalls.Entry;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The end of a call, and the entries of calls in flight that it was in. The first attempt takes its cost away, because after a step of
 * Redis' clock the entry has another time; a repeated one says how much may stay of the entry. Both in turn would
 * free too much or too little of calls that share one: so once an end of an entry is repeated, all that are sent say how
 * much may stay then, and the repeated one waits until Redis makes none any more that takes away. Thread-safe.
 */
public final class EndedCall {

    /** The end of a call that was not in flight. */
    public static final EndedCall NONE = new EndedCall(List.of());

    /** One for each charge; that of other algorithms is unknown. */
    private final List<Entry> entries;

    EndedCall(List<Entry> entries) {
        this.entries = entries;
    }

    /**
     * Returns one more than what may stay now of the entry of each charge of which an end is repeated, and what is given for all
     * others.
     */
    public long[] most(long[] others) {
        if (entries.isEmpty()) {
            return others;
        }
        long[] all = others.clone();
        for (int i = 0; i < entries.size(); i++) {
            long most = entries.get(i).most();
            all[i] = most > 0 ? most : all[i];
        }
        return all;
    }

    /**
     * Returns whether Redis may still make an end that takes away from the entry of the charge. While it may, no end frees more
     * than its own cost; afterwards all that is more than what may stay is freed, also that of ends which overtook each other.
     */
    public boolean freesOwnAlone(int charge) {
        return !entries.isEmpty() && entries.get(charge).mayBeTakenFrom();
    }

    /** Returns the charges whose end may be made a second time. */
    public int[] known() {
        return IntStream.range(0, entries.size())
                .filter(i -> entries.get(i) != Entry.UNKNOWN)
                .toArray();
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
}
