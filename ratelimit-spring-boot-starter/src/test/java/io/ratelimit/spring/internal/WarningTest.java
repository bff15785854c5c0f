package io.ratelimit.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ratelimit.spring.MessageCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WarningTest {

    private final Warning warning = new Warning(MessageCode.KEY_FAILED);
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.ratelimit.RL-451");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void listenNoMore() {
        logger.setLevel(null);
        logger.setAdditive(true);
        logger.detachAppender(logged);
    }

    @Test
    void beginsWithItsCode() {
        warning.log("key '{}' failed the {}. time", "ip", 1);

        assertThat(logged.list)
                .extracting(Object::toString)
                .containsExactly("[WARN] RL-451: key 'ip' failed the 1. time");
    }

    @Test
    void warnsTheFirstTimeAndLogsTheOthersAtDebug() {
        for (int time = 1; time <= 3; time++) {
            warning.logOnce("key '{}' failed the {}. time", "ip", time);
        }

        assertThat(logged.list)
                .extracting(Object::toString)
                .containsExactly(
                        "[WARN] RL-451: key 'ip' failed the 1. time",
                        "[DEBUG] RL-451: key 'ip' failed the 2. time",
                        "[DEBUG] RL-451: key 'ip' failed the 3. time");
    }

    @Test
    void logsAnExceptionWithItsStackTrace() {
        warning.log("the view failed", new IllegalArgumentException("no view"));

        assertThat(logged.list)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("no view"));
    }
}
