package io.ratelimit.spring.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Malformed requests over real connections to two instances on one Redis: one whose peer is a trusted proxy, and one
 * whose peer is nobody. Nothing breaks, nothing leaks, and a victim loses no request.
 */
class HostileHttpTest {

    private static final Logger LOG = LoggerFactory.getLogger(HostileHttpTest.class);

    /** Who attacked, as the trusted proxy and the server saw them: nobody else's address may be counted. */
    private static final Set<String> ATTACKERS =
            Set.of("127.0.0.1", "198.51.100.1", "198.51.100.2", "198.51.100.3", "2001:db8:bad:0:0:0:0:0/64");

    /** Servers and frameworks quote what they refuse themselves: their log is not up to a limiter. */
    private static final Set<String> QUOTE_WHAT_THEY_REFUSE = Set.of(
            "org.apache.coyote.http11.Http11Processor",
            "org.apache.tomcat.util.http.Parameters",
            "org.apache.tomcat.util.http.parser.Cookie",
            "org.springframework.web.servlet.mvc.support.DefaultHandlerExceptionResolver");

    private final String prefix = UUID.randomUUID().toString();
    private TestApp behindProxy;
    private TestApp atTheEdge;

    @BeforeEach
    void start() {
        behindProxy = Target.start(prefix, "127.0.0.1,10.0.0.0/8");
        atTheEdge = Target.start(prefix, "10.0.0.0/8");
    }

    @AfterEach
    void stop() {
        behindProxy.close();
        atTheEdge.close();
    }

    @Test
    void nothingBreaksNothingLeaksAndAVictimLosesNoRequest() throws Exception {
        withstands(4_000);
    }

    @Test
    @Tag("slow")
    void norAfterAHundredThousandRequests() throws Exception {
        withstands(100_000);
    }

    private void withstands(int requests) throws Exception {
        Instant start = Instant.now();
        Victim victim = new Victim(behindProxy.port());
        Answers answers = attack(requests, victim);
        LOG.info(
                "{} hostile requests in {} s: {}; {} keys, each of one subject, the longest of {} characters;"
                        + " {} calls of a victim, each counted once",
                "%,d".formatted(requests),
                Duration.between(start, Instant.now()).toSeconds(),
                answers,
                "%,d".formatted(checkedKeys()),
                "%,d".formatted(longestSubject()),
                victim.calls());
    }

    private Answers attack(int requests, Victim victim) throws Exception {
        try (victim;
                HostileLog log = new HostileLog()) {
            Answers answers = new Attack(behindProxy.port(), atTheEdge.port(), victim).run(requests);
            assertThat(answers.total()).isEqualTo(requests);
            checkLog(log);
            return answers;
        }
    }

    private static void checkLog(HostileLog log) {
        assertThat(log.ofLimiter())
                .as(SeededRandom.seed())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.text())
                        .doesNotContain(HostileText.MARK, HostileText.FORGED, Victim.ADDRESS, "victim", "\r", "\n"));
        assertThat(log.ofOthers()).as(SeededRandom.seed()).allSatisfy(line -> {
            assertThat(line.text().lines()).noneMatch(text -> text.startsWith(HostileText.FORGED));
            if (!QUOTE_WHAT_THEY_REFUSE.contains(line.logger())) {
                assertThat(line.text()).doesNotContain(HostileText.MARK, HostileText.FORGED);
            }
        });
    }

    /** How many there are. */
    private int checkedKeys() {
        try (LeftKeys left = new LeftKeys(prefix)) {
            List<LeftKey> keys = left.keys();
            left.assertAllHaveATimeToLive();
            assertThat(keys)
                    .as(SeededRandom.seed())
                    .filteredOn(LeftKey::isAddress)
                    .allMatch(key -> ATTACKERS.contains(key.address()) || isTheVictimsOwn(key), "is who called");
            for (String limit : SeenSubjects.limits()) {
                await().untilAsserted(() -> assertThat(keys) // the last of them is noted after its answer
                        .as("%s: subjects of '%s'", SeededRandom.seed(), limit)
                        .filteredOn(key -> key.limit().equals(limit) && !key.isAddress())
                        .hasSameSizeAs(seen(limit)));
            }
            return keys.size();
        }
    }

    private static boolean isTheVictimsOwn(LeftKey key) {
        return key.limit().equals("ip") && key.address().equals(Victim.ADDRESS);
    }

    private int longestSubject() {
        return Math.max(
                behindProxy.bean(SeenSubjects.class).longest(),
                atTheEdge.bean(SeenSubjects.class).longest());
    }

    private Set<String> seen(String limit) {
        Set<String> seen = new HashSet<>(behindProxy.bean(SeenSubjects.class).of(limit));
        seen.addAll(atTheEdge.bean(SeenSubjects.class).of(limit));
        return seen;
    }
}
