package io.ratelimit.lab.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.lab.Rate;
import java.net.http.HttpClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each contender reaches the partner, and instances of this library stop together. */
class PartnerContenderTest {

    private static final Rate RATE = new Rate(40, 3_600_000_000L);

    @ParameterizedTest
    @EnumSource(PartnerContender.class)
    void reachesThePartner(PartnerContender contender) throws Exception {
        try (RedisSite redis = RedisSite.start();
                PartnerServer partner = PartnerServer.start(PartnerWindow.Kind.FROM_FIRST, RATE);
                Instance instance = contender.open(setup(redis, RATE, partner))) {
            instance.warmUp();

            assertThat(instance.send(1, Duration.ofSeconds(1)).outcome()).isEqualTo(Attempt.Outcome.ALLOWED);
            assertThat(partner.arrivals()).extracting(Arrival::isRetry).containsExactly(false);
        }
    }

    @Test
    void instancesOfThisLibraryShareTheBlockThatA429AsksFor() throws Exception {
        Rate one = new Rate(1, RATE.windowMicros());
        try (RedisSite redis = RedisSite.start();
                PartnerServer partner = PartnerServer.start(PartnerWindow.Kind.SLIDING, one);
                Instance first = tooHigh(redis, partner);
                Instance second = tooHigh(redis, partner)) {
            assertThat(outcome(first)).isEqualTo(Attempt.Outcome.ALLOWED);
            assertThat(outcome(first)).isEqualTo(Attempt.Outcome.REFUSED);

            await().until(() -> outcome(second) == Attempt.Outcome.NOT_SENT);
        }
    }

    @Test
    void instancesOfThisLibraryShareWhatAnAnswerLeaves() throws Exception {
        Rate one = new Rate(1, RATE.windowMicros());
        try (RedisSite redis = RedisSite.start();
                PartnerServer partner = PartnerServer.start(PartnerWindow.Kind.SLIDING, one);
                Instance first = PartnerContender.OWN.open(setup(redis, RATE, partner));
                Instance second = PartnerContender.OWN.open(setup(redis, RATE, partner))) {
            assertThat(outcome(first)).isEqualTo(Attempt.Outcome.ALLOWED);

            await().until(() -> outcome(second) == Attempt.Outcome.NOT_SENT);
        }
    }

    private static Instance tooHigh(RedisSite redis, PartnerServer partner) {
        return PartnerContender.OWN_TOO_HIGH_WITHOUT_RATELIMIT.open(setup(redis, RATE, partner));
    }

    private static Attempt.Outcome outcome(Instance instance) {
        return instance.send(1, Duration.ofSeconds(1)).outcome();
    }

    private static PartnerSetup setup(RedisSite redis, Rate rate, PartnerServer partner) {
        return new PartnerSetup("partner", redis, rate, HttpClient.newHttpClient(), partner.host());
    }
}
