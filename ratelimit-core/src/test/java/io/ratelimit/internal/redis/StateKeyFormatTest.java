package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateKeyFormatTest {

    private static final Limit HOURLY = limit("hourly", Algorithm.SLIDING_WINDOW_COUNTER);

    private final StateKeyFormat keys = new StateKeyFormat("rate_limit");

    @Test
    void aPlainSubjectStandsReadableInItsKey() {
        assertThat(keys.key(HOURLY, "alice")).isEqualTo("rate_limit:{alice}:hourly:sliding-window-counter:1h:2");
        assertThat(keys.key(HOURLY, "2001:db8::/64")).contains("{2001:db8::/64}");
        assertThat(keys.key(HOURLY, "zoë")).contains("{zoë}");
        assertThat(keys.key(HOURLY, "a".repeat(64))).contains("{" + "a".repeat(64) + "}");
        assertThat(keys.key(HOURLY, "ë".repeat(32))).contains("{" + "ë".repeat(32) + "}");
    }

    @Test
    void aSubjectThatCouldBreakOutOfItsPlaceGoesInAsAHash() {
        for (String hostile : hostileSubjects()) {
            assertThat(keys.key(HOURLY, hostile))
                    .matches("rate_limit:\\{[A-Za-z0-9_-]{43}}:hourly:sliding-window-counter:1h:2");
        }
    }

    @Test
    void noTwoSubjectsShareAKey() {
        List<String> subjects = Stream.concat(hostileSubjects().stream(), plainSubjects().stream())
                .toList();

        assertThat(subjects).doesNotHaveDuplicates();
        assertThat(subjects.stream().map(subject -> keys.key(HOURLY, subject))).doesNotHaveDuplicates();
    }

    @Test
    void aSubjectThatLooksLikeAnothersHashDoesNotGetItsKey() {
        String key = keys.key(HOURLY, "with space");
        String hash = key.substring(key.indexOf('{') + 1, key.indexOf('}'));

        assertThat(hash).hasSize(43);
        assertThat(keys.key(HOURLY, hash)).isNotEqualTo(key);
    }

    @Test
    void brokenSurrogatesAreNotTakenForTheTextTheirBytesSpell() {
        // both D8 80 forty times over: as UTF-16 a broken surrogate, as UTF-8 a sign of Arabic
        String broken = "\uD880".repeat(40);
        String spelled = "\u0600".repeat(40);

        assertThat(keys.key(HOURLY, broken)).isNotEqualTo(keys.key(HOURLY, spelled));
    }

    @Test
    void limitsAndAlgorithmsOfASubjectHaveKeysOfTheirOwnInOneSlot() {
        for (String subject : List.of("alice", "{", "}{", "a}:{b", " ", "", "x".repeat(1 << 20))) {
            List<String> ofSubject = Arrays.stream(Algorithm.values())
                    .flatMap(algorithm -> Stream.of("a", "b", "a:b", "a:token-bucket", ":")
                            .map(name -> keys.key(limit(name, algorithm), subject)))
                    .toList();

            assertThat(ofSubject).doesNotHaveDuplicates();
            assertThat(ofSubject.stream().map(SlotHash::getSlot).distinct()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PT0.001S, 1ms",
        "PT0.001001S, 1001us",
        "PT1S, 1s",
        "PT1.5S, 1500ms",
        "PT90S, 90s",
        "PT2M, 2m",
        "PT90M, 90m",
        "PT24H, 1d",
        "PT25H, 25h",
        "P366D, 366d"
    })
    void everyWindowHasAKeyOfItsOwnAndAReadableName(Duration window, String name) {
        Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, window);

        assertThat(keys.key(limit, "alice")).isEqualTo("rate_limit:{alice}:api:token-bucket:" + name + ":2");
    }

    @Test
    void limitsThatDifferInOtherNumbersShareAKey() {
        Limit raised = Limit.of("hourly", Algorithm.SLIDING_WINDOW_COUNTER, 1_000, Duration.ofHours(1));

        assertThat(keys.key(raised, "alice")).isEqualTo(keys.key(HOURLY, "alice"));
    }

    @Test
    void keysOfDifferentPrefixesDiffer() {
        assertThat(new StateKeyFormat("other").key(HOURLY, "alice"))
                .isEqualTo("other:{alice}:hourly:sliding-window-counter:1h:2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a{b", "a}b", "{b", "}b"})
    void aPrefixThatWouldMoveTheSlotIsRefused(String prefix) {
        assertThatThrownBy(() -> new StateKeyFormat(prefix))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + prefix + "'")
                .hasMessageContaining("key-prefix");
    }

    @Test
    void aPrefixWithABrokenSurrogateIsRefusedBecauseAllOfThemWouldBeTheSameBytes() {
        assertThatThrownBy(() -> new StateKeyFormat("app\uD800"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key-prefix");
    }

    private static List<String> hostileSubjects() {
        return List.of(
                "",
                " ",
                "\t",
                "\n",
                "\u0000",
                "a\u0000",
                "a\u007f",
                "a\u0080",
                "a\u0085",
                "a\u00a0b",
                "a\u3000b",
                "a\u2028b",
                "with space",
                "{",
                "}",
                "{}",
                "alice}:hourly:sliding-window-counter",
                "a}:{b",
                "a".repeat(65),
                "é".repeat(33),
                "x".repeat(1 << 20),
                "x".repeat((1 << 20) - 1) + "y",
                "\ud800",
                "\udc00",
                "\ud801",
                "a\ud800",
                "\udc00\ud800",
                "A".repeat(43),
                "abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE");
    }

    private static List<String> plainSubjects() {
        return IntStream.range(0x21, 0x3000)
                .filter(c -> !Character.isWhitespace(c) && !Character.isSpaceChar(c) && !Character.isISOControl(c))
                .filter(c -> c != '{' && c != '}')
                .mapToObj(Character::toString)
                .toList();
    }

    private static Limit limit(String name, Algorithm algorithm) {
        return Limit.of(name, algorithm, 10, Duration.ofHours(1));
    }
}
