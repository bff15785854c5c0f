package io.ratelimit.spring.internal.method;

import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a thread holds for the code that it runs, as it held it once.
 *
 * @param restore sets what a thread held before, instead of what it held when this was set
 */
record ContextPart<T>(
        @Nullable T value,
        Supplier<@Nullable T> get,
        Consumer<@Nullable T> set,
        BiConsumer<@Nullable T, @Nullable T> restore) {

    /** A part that was set, and what the thread held before that and held then, which may be a copy. */
    record Opened<T>(
            ContextPart<T> part,
            @Nullable T before,
            @Nullable T then) {

        /** Returns whether the code that ran since has set another one. */
        boolean isChanged() {
            return !Objects.equals(part.get.get(), then);
        }

        void undo() {
            part.restore.accept(before, then);
        }
    }

    /** Returns what this thread holds, which is restored as it is set. */
    static <T> ContextPart<T> capture(Supplier<@Nullable T> get, Consumer<@Nullable T> set) {
        return capture(get, set, (before, then) -> set.accept(before));
    }

    /** Returns what this thread holds. */
    static <T> ContextPart<T> capture(
            Supplier<@Nullable T> get, Consumer<@Nullable T> set, BiConsumer<@Nullable T, @Nullable T> restore) {
        return new ContextPart<>(get.get(), get, set, restore);
    }

    /** Returns the same of a thread that holds nothing. */
    ContextPart<T> none() {
        return new ContextPart<>(null, get, set, restore);
    }

    /** Returns whether this thread holds it now. */
    boolean isThere() {
        return Objects.equals(get.get(), value);
    }

    /** Sets it on this thread. */
    Opened<T> open() {
        T before = get.get();
        set.accept(value);
        return new Opened<>(this, before, get.get());
    }
}
