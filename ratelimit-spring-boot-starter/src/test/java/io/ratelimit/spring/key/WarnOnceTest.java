package io.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WarnOnceTest {

    @Test
    void warnsTheFirstTimeAndSaysTheOthersAtDebug() {
        WarnOnce failure = new WarnOnce(LoggerFactory.getLogger(WarnOnceTest.class));

        try (LogCapture log = LogCapture.start()) {
            for (int time = 1; time <= 3; time++) {
                failure.log("key '{}' failed the {}. time", "ip", time);
            }

            assertThat(log.messages(Level.WARN)).containsExactly("key 'ip' failed the 1. time");
            assertThat(log.messages(Level.DEBUG))
                    .containsExactly("key 'ip' failed the 2. time", "key 'ip' failed the 3. time");
        }
    }
}
