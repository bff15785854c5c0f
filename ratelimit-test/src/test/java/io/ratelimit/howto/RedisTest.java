package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;

class RedisTest {

    @Test
    void theLoggersOfLettuceAreThere() {
        List<String> loggers = Pattern.compile("^ {2}(io\\.lettuce\\.[\\w.]+): error$", Pattern.MULTILINE)
                .matcher(Pages.text(Pages.named("redis")))
                .results()
                .map((MatchResult logger) -> logger.group(1))
                .toList();

        assertThat(loggers).hasSize(2).allMatch(logger -> ClassUtils.isPresent(logger, null));
    }
}
