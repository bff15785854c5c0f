package io.ratelimit.spring.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class RemoteAnswerTest {

    private static final Instant NOW = Instant.parse("2026-03-14T12:00:00Z");
    private static final String[] FAMILIES = {
        "retry-after", "ratelimit", "x-ratelimit", "x-ratelimit-tokens", "x-ratelimit-requests"
    };

    /** Headers are separated by '|', and the expected wait is in ms. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "429; Retry-After: 30; 30000",
                "503; Retry-After: 1.5; 1500",
                "200; Retry-After: 30; 0",
                "301; Retry-After: 30; 0",
                "429; Retry-After: Sat, 14 Mar 2026 12:00:45 GMT; 45000",
                "429; Retry-After: Sat, 14 Mar 2026 12:00:45 GMT | Date: Sat, 14 Mar 2026 12:00:30 GMT; 15000",
                "429; Retry-After: Sat, 14 Mar 2026 12:10:05 GMT | Date: Sat, 14 Mar 2026 12:10:00 GMT; 5000",
                "429; Retry-After: Sat, 14 Mar 2026 11:50:05 GMT | Date: Sat, 14 Mar 2026 11:50:00 GMT; 5000",
                "429; Retry-After: Sat, 14 Mar 2026 11:59:59 GMT; 0",
                "429; Retry-After: 10 | Retry-After: 20; 20000",
                "429; Retry-After: 10 | Retry-After: -7; 10000",
                "429; Retry-After: -1; 0",
                "429; Retry-After: 10, 20; 0",
                "429; Retry-After: Thu, 01 Jan 1970 00:00:00 GMT; 0",
                "429; Retry-After: 1000000000000000000; 31622400000",
                "429; Retry-After: 99999999999999999999999999; 31622400000",
                "429; Retry-After: 9999999999999999999999999999999999999; 0",
                "200; RateLimit: limit=100, remaining=0, reset=7; 7000",
                "200; RateLimit: limit=100, remaining=1, reset=7; 0",
                "200; RateLimit: remaining=0; 0",
                "200; RateLimit-Limit: 100 | RateLimit-Remaining: 0 | RateLimit-Reset: 9; 9000",
                "200; X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 12; 12000",
                "200; X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1773489612; 12000",
                "200; X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1773489612500; 12500",
                "403; x-ratelimit-remaining: 0 | x-ratelimit-reset: 1773489612 | Date: Sat, 14 Mar 2026 12:00:02 GMT; 10000",
                "200; X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 12; 0",
                "200; X-RateLimit-Remaining: -1 | X-RateLimit-Reset: 12; 0",
                "200; X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 100; 100000",
                "200; X-RateLimit-Remaining: 0; 0",
                "429; x-ratelimit-remaining-tokens: 0 | x-ratelimit-reset-tokens: 6m0s; 360000",
                "429; x-ratelimit-remaining-tokens: 0 | x-ratelimit-reset-tokens: 1h2m3.5s; 3723500",
                "200; x-ratelimit-remaining-requests: 0 | x-ratelimit-reset-requests: 20ms; 20",
                "200; x-ratelimit-remaining-tokens: 149984 | x-ratelimit-reset-tokens: 6m0s; 0",
                "200; x-ratelimit-remaining-tokens: 0 | x-ratelimit-reset-requests: 6m0s; 0",
                "200; x-ratelimit-remaining-tokens: 0 | x-ratelimit-reset-tokens: 999999999h; 31622400000"
            })
    void says(int status, String headers, long millis) {
        assertThat(waitOf(status, headers, FAMILIES)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '/',
            quoteCharacter = '~',
            value = {
                "\"burst\";r=0;t=3/3",
                "\"burst\";r=19;t=1,\"hourly\";r=0;t=2713/2713",
                "\"burst\";r=0;t=1, \"hourly\";r=0;t=2713/2713",
                "\"default\"; r=0; t=5/5",
                "\"r=0;t=9\";r=1;t=5/0",
                "\"burst\";r=0/0",
                "\"a,b\";r=0;t=4/4",
                "\"a;r=0;t=9\";r=1;t=5/0",
                "\"a\";pk=\"x;r=0;t=9\";r=1;t=5/0",
                "\"a\\\";r=0;t=9\";r=1;t=5/0",
                "\"a\";pk=\"x,\\\"y\";r=0;t=9,\"b\";r=1;t=5/9",
                "\"a;r=0;t=9/0",
                "limit=9, remaining=1, reset=5, note=\"remaining=0\"/0",
                "note=\"remaining=0\", limit=9, remaining=1, reset=5/0"
            })
    void saysInDraft11(String value, long seconds) {
        assertThat(waitOf(200, "RateLimit: " + value, FAMILIES)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '/',
            quoteCharacter = '~',
            value = {
                "RateLimit: \"burst\";r=19;t=1,\"hourly\";r=7;t=2713/7/2713",
                "RateLimit: limit=100, remaining=1, reset=7/1/7",
                "RateLimit-Remaining: 40 | RateLimit-Reset: 9/40/9",
                "X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 12 | RateLimit: \"a\";r=6;t=1/5/12",
                "x-ratelimit-remaining-tokens: 149984 | x-ratelimit-reset-tokens: 6m0s/149984/360",
                "X-RateLimit-Remaining: 2.7 | X-RateLimit-Reset: 3/2/3",
                "X-RateLimit-Remaining: 999999999999999999 | X-RateLimit-Reset: 3/999999999999999999/3"
            })
    void saysHowMuchIsLeft(String headers, long remaining, long seconds) {
        assertThat(left(200, headers, FAMILIES))
                .contains(new RemoteAnswer.Left(remaining, Duration.ofSeconds(seconds)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-RateLimit-Remaining: 5",
                "X-RateLimit-Remaining: 5 | X-RateLimit-Reset: -1",
                "X-RateLimit-Remaining: 1000000000000000000000 | X-RateLimit-Reset: 3",
                "RateLimit: \"a\";r=5"
            })
    void whatHasNoEndIsNoCap(String headers) {
        assertThat(left(200, headers, FAMILIES)).isEmpty();
    }

    /** As much as a client reads of one header. */
    @ParameterizedTest
    @ValueSource(
            strings = {"1s", "1", "1.", "\"", "\"\\\\", "\"a\";", ",", ";r=0", "remaining", "remaining=0 reset=", " "})
    void aLongValueIsReadOnAnyStack(String part) {
        for (String name : List.of("Retry-After", "RateLimit", "X-RateLimit-Reset", "X-RateLimit-Remaining", "Date")) {
            HttpHeaders headers = new HttpHeaders();
            headers.add("X-RateLimit-Remaining", "5");
            headers.add("X-RateLimit-Reset", "7");
            headers.add(name, part.repeat(100_000 / part.length()));

            assertThat(RemoteAnswer.of(429, headers, NOW).left(families(FAMILIES)))
                    .hasValueSatisfying(left -> assertThat(left.remaining()).isLessThanOrEqualTo(5));
        }
    }

    /** In a time that grows with their number, and not with its square. */
    @Test
    void ofManyHeadersTheLeastIsLeftForTheLongest() {
        HttpHeaders headers = new HttpHeaders();
        for (int i = 1; i <= 100_000; i++) {
            headers.add("X-RateLimit-Remaining", String.valueOf(i));
            headers.add("X-RateLimit-Reset", String.valueOf(i));
        }

        assertThat(RemoteAnswer.of(200, headers, NOW).left(families(FAMILIES)))
                .contains(new RemoteAnswer.Left(1, Duration.ofSeconds(100_000)));
    }

    @Test
    void whatIsNotObeyedSaysNothing() {
        String all = "Retry-After: 10 | X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 20";

        assertThat(waitOf(429, all)).isZero();
        assertThat(waitOf(429, all, "retry-after")).isEqualTo(Duration.ofSeconds(10));
        assertThat(waitOf(429, all, "x-ratelimit")).isEqualTo(Duration.ofSeconds(20));
        assertThat(waitOf(429, all, "ratelimit")).isZero();
    }

    @Test
    void noAnswerFailsOrSaysMoreThanAYear() {
        String[] names = {
            "Retry-After",
            "RateLimit",
            "RateLimit-Remaining",
            "RateLimit-Reset",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "X-RateLimit-Reset-Tokens",
            "X-RateLimit-Remaining-Tokens",
            "Date"
        };
        String[] parts = {
            "0",
            "1",
            "9",
            "-",
            ".",
            ",",
            ";",
            "\"",
            "\\",
            "r=0",
            ";t=",
            "remaining=0",
            "reset=",
            "h",
            "m",
            "s",
            "ms",
            "Sat, 14 Mar 2026 12:00:45 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT",
            "1e9",
            " ",
            "999999999999999999",
            "µs"
        };
        SeededRandom.each("answers of partners", 2_000, random -> {
            HttpHeaders headers = new HttpHeaders();
            for (long left = random.between(1, 5); left > 0; left--) {
                StringBuilder value = new StringBuilder();
                for (long more = random.ofAnySize(1, 40); more > 0; more--) {
                    value.append(random.oneOf(parts));
                }
                headers.add(random.oneOf(names), value.toString());
            }
            RemoteAnswer.of(429, headers, NOW)
                    .left(families(FAMILIES))
                    .ifPresent(left -> assertThat(left.reset()).isBetween(Duration.ZERO, Duration.ofDays(366)));
        });
    }

    /** Zero if something is left, or nothing is said. */
    private static Duration waitOf(int status, String headers, String... families) {
        return left(status, headers, families)
                .filter(left -> left.remaining() == 0)
                .map(RemoteAnswer.Left::reset)
                .orElse(Duration.ZERO);
    }

    private static Optional<RemoteAnswer.Left> left(int status, String headers, String... families) {
        HttpHeaders read = new HttpHeaders();
        for (String header : headers.split("\\|", -1)) {
            int colon = header.indexOf(':');
            read.add(header.substring(0, colon).strip(), header.substring(colon + 1));
        }
        return RemoteAnswer.of(status, read, NOW).left(families(families));
    }

    private static List<ObeyedHeaders> families(String... names) {
        return Stream.of(names)
                .map(name -> ObeyedHeaders.parse(name).orElseThrow())
                .toList();
    }
}
