package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A hundred thousand subjects that try to break keys: each has its own count in its own key. */
@ExtendWith(NoThreadsLeft.class)
class HostileSubjectsTest {

    private static final Logger LOG = LoggerFactory.getLogger(HostileSubjectsTest.class);
    private static final int SUBJECTS = 100_000;
    private static final Limit ONCE = Limit.of("once", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(366));
    private static final String[] PARTS = {
        "alice",
        "{",
        "}",
        "{}",
        "}:once:fixed-window",
        "\0",
        "\r\n",
        "Set-Cookie: a=b",
        "\u2028",
        " ",
        "\t",
        ":",
        "*",
        "#{T(java.lang.Runtime)}",
        "${jndi:ldap://x}",
        "'; FLUSHALL",
        "\uD800",
        "\uDC00",
        "\uFFFD",
        "?",
        "é",
        "e\u0301",
        "😀",
        "fe80::1%eth0",
        "::ffff:1.2.3.4",
        "1.2.3.4:80",
        "for=\"[::1]\"",
        "..",
        "/",
        "%00",
        "\u202E",
        "a".repeat(70)
    };

    @Test
    @Tag("slow")
    void eachIsAdmittedOnceAndHasAKeyOfItsOwn() {
        Set<String> subjects = subjects();
        try (RedisUnderTest redis = RedisUnderTest.withRedisTime()) {
            assertThat(allowed(redis, subjects)).isEqualTo(SUBJECTS);
            assertThat(allowed(redis, subjects)).isZero();

            Set<String> keys = new LinkedHashSet<>(redis.redis().keys(redis.prefix + "*"));
            Pattern safe = Pattern.compile(
                    Pattern.quote(redis.prefix) + ":\\{[^{}\\p{Cntrl}\\s]{1,64}}:once:fixed-window:366d:2");
            LOG.info("{} hostile subjects: {} keys, each with one of them", SUBJECTS, keys.size());
            assertThat(keys)
                    .as(SeededRandom.seed())
                    .hasSize(SUBJECTS)
                    .allMatch(key -> safe.matcher(key).matches());
            keys.forEach(key -> redis.connection().async().del(key));
        }
    }

    @Test
    void aSubjectOfAMegabyteIsOneLikeAnyOther() {
        try (RedisUnderTest redis = RedisUnderTest.withRedisTime()) {
            Acquisition huge = Acquisition.of(ONCE, "x".repeat(1 << 20));

            assertThat(redis.limiter().acquire(huge).allowed()).isTrue();
            assertThat(redis.limiter().acquire(huge).allowed()).isFalse();
            assertThat(redis.redis().keys(redis.prefix + "*"))
                    .allSatisfy(key -> assertThat(key).hasSizeLessThan(150));
        }
    }

    private static long allowed(RedisUnderTest redis, Set<String> subjects) {
        long allowed = 0;
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (String subject : subjects) {
            answers.add(redis.limiter()
                    .acquireAsync(Acquisition.of(ONCE, subject))
                    .thenApply(decision -> decision.allowed())
                    .toCompletableFuture());
            if (answers.size() == 10_000) {
                allowed += answers.stream().filter(CompletableFuture::join).count();
                answers.clear();
            }
        }
        return allowed;
    }

    private static Set<String> subjects() {
        SeededRandom random = SeededRandom.of("hostile");
        Set<String> subjects = new LinkedHashSet<>();
        while (subjects.size() < SUBJECTS) {
            StringBuilder subject = new StringBuilder();
            for (long parts = random.between(1, 6); parts > 0; parts--) {
                subject.append(random.oneOf(PARTS));
            }
            subjects.add(subject.toString());
        }
        return subjects;
    }
}
