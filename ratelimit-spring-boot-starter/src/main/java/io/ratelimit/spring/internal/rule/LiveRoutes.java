package io.ratelimit.spring.internal.rule;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPattern;

/** The routes in force, which change as a whole. A request keeps the routes that it has matched. Thread-safe. */
public final class LiveRoutes {

    private volatile Routes written;
    private volatile @Nullable Parsed parsed;

    /** @param by parses patterns as those of the application are parsed */
    private record Parsed(Routes routes, Function<String, List<PathPattern>> by) {}

    public LiveRoutes(Routes written) {
        this.written = written;
    }

    /** Returns the routes as they are written. */
    public Routes written() {
        return written;
    }

    /**
     * Returns the routes as requests match them.
     *
     * @param parser called once, when a request first needs it
     */
    public Routes parsedBy(Supplier<Function<String, List<PathPattern>>> parser) {
        Parsed known = parsed;
        return known == null ? parse(parser) : known.routes();
    }

    private synchronized Routes parse(Supplier<Function<String, List<PathPattern>>> parser) {
        Parsed known = parsed;
        if (known == null) {
            Function<String, List<PathPattern>> by = parser.get();
            known = new Parsed(written.parsedBy(by), by);
            parsed = known;
        }
        return known.routes();
    }

    /**
     * Parses other routes, if requests have needed that already, and returns what puts them in force.
     *
     * @throws org.springframework.web.util.pattern.PatternParseException if a pattern cannot be parsed
     */
    public Runnable prepare(Routes other) {
        Parsed known = parsed;
        Parsed ready = known == null ? null : new Parsed(other.parsedBy(known.by()), known.by());
        return () -> replaceBy(other, ready);
    }

    private synchronized void replaceBy(Routes other, @Nullable Parsed ready) {
        Parsed known = parsed;
        parsed = ready != null || known == null ? ready : new Parsed(other.parsedBy(known.by()), known.by());
        written = other;
    }
}
