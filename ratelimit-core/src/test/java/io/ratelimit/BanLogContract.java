package io.ratelimit;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The beginning of a ban is a line at DEBUG, by the instance whose call begins it. */
public interface BanLogContract extends StoreUnderTest {

    private static Limit banning(String name, long max) {
        return Limit.of(name, Algorithm.FIXED_WINDOW, max, Duration.ofDays(1))
                .withBan(2, Duration.ofMinutes(10), Duration.ofMinutes(5), Duration.ofHours(1));
    }

    /** What is logged of the limit while this runs. */
    private static List<String> logged(Limit limit, Runnable calls) {
        Logger logger = (Logger) LoggerFactory.getLogger(Ban.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(appender);
        try {
            calls.run();
        } finally {
            logger.detachAppender(appender);
            logger.setLevel(null);
        }
        return List.copyOf(appender.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .filter(line -> line.contains("'" + limit.name() + "'"))
                .toList();
    }

    private void refusedAt(long micros, Limit limit) {
        setClock(micros);
        limiter().acquire(Acquisition.of(limit, "alice"));
    }

    @Test
    default void refusalsThatBeginABanAreLoggedOnceAndWithoutTheSubject() {
        Limit limit = banning("log-of-refusals", 1);
        long now = at("12:00:00");
        setClock(now);
        admits(limit, "alice", 1);

        assertThat(logged(limit, () -> refusedAt(now, limit))).isEmpty();
        assertThat(logged(limit, () -> refusedAt(now, limit)))
                .containsExactly("DEBUG Limit 'log-of-refusals' begins to ban a subject");
        assertThat(logged(limit, () -> refusedAt(now + SECOND, limit))).isEmpty();
    }

    @Test
    default void failuresThatBeginABanAreLoggedWithTheLimitThatBans() {
        Limit byHand = banning("log-by-hand", 1);
        Limit wide = Limit.of("log-of-wide", Algorithm.FIXED_WINDOW, 9, Duration.ofDays(1));
        Limit failing = banning("log-of-failing", 9).banningFailures();
        Acquisition both = Acquisition.of(wide, "alice").and(failing, "alice");
        setClock(at("12:00:00"));
        Runnable fails = () -> limiter().settle(both, limiter().acquire(both), 1);

        assertThat(logged(failing, fails)).isEmpty();
        assertThat(logged(failing, fails)).containsExactly("DEBUG Limit 'log-of-failing' begins to ban a subject");
        assertThat(logged(byHand, () -> limiter().ban(byHand, "bob")))
                .containsExactly("DEBUG Limit 'log-by-hand' begins to ban a subject");
    }
}
