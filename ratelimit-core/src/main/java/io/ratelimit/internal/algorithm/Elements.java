package io.ratelimit.internal.algorithm;

import java.util.HashSet;
import java.util.Set;

/** The elements that are counted in a window. Not thread-safe. */
interface Elements {

    boolean contains(long element);

    void add(long element);

    /** Returns how many there are; 0 only if there is none. */
    long size();

    void clear();

    /** Returns about how many bytes of the heap they take. */
    long heapBytes();

    /** Every element, for an exact count. */
    static Elements exact() {
        Set<Long> elements = new HashSet<>();
        return new Elements() {
            @Override
            public boolean contains(long element) {
                return elements.contains(element);
            }

            @Override
            public void add(long element) {
                elements.add(element);
            }

            @Override
            public long size() {
                return elements.size();
            }

            @Override
            public void clear() {
                elements.clear();
            }

            @Override
            public long heapBytes() {
                return 80 + 64L * elements.size();
            }
        };
    }
}
