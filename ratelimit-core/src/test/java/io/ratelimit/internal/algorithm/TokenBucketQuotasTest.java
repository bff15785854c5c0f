package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import org.junit.jupiter.api.Test;

/** One bucket under several quotas: plans, or a deployment that changes the numbers. */
class TokenBucketQuotasTest {

    private static final Quota LARGE = new Quota(10, SECOND, 20);
    private static final Quota SMALL = new Quota(10, SECOND, 10);
    private static final long NOON = at("12:00:00");

    private final Subject subject = new Subject(new TokenBucket(), LARGE);

    @Test
    void aRaisedLimitMissesAsManyTokensAsTheOldOne() {
        subject.changeLimitTo(quota(100, DAY));
        subject.admits(100, NOON);

        subject.changeLimitTo(quota(10_000, DAY));

        assertThat(subject.remaining(NOON)).isEqualTo(9_900);
        assertThat(subject.resetAfter(NOON)).isEqualTo(DAY / 100);
    }

    @Test
    void aLoweredLimitMissesItsOwnBucketAtMostAndRefillsAtItsOwnRate() {
        subject.changeLimitTo(quota(10_000, DAY));
        subject.admits(5_000, NOON);

        subject.changeLimitTo(quota(100, DAY));

        assertThat(subject.remaining(NOON)).isZero();
        assertThat(subject.retryAfter(1, NOON)).isEqualTo(DAY / 100);
        assertThat(subject.remaining(NOON + DAY / 4)).isEqualTo(25);
        subject.admits(25, NOON + DAY / 4);
        assertThat(subject.resetAfter(NOON + DAY / 4)).isEqualTo(DAY);
    }

    /** Redis forgets it then. */
    @Test
    void aBucketIsFullForEveryQuotaOnceItIsFullForTheOneThatWroteIt() {
        subject.changeLimitTo(quota(10_000, DAY));
        subject.admits(5_000, NOON);

        subject.changeLimitTo(quota(100, DAY));

        assertThat(subject.resetAfter(NOON)).isEqualTo(DAY / 2);
        assertThat(subject.remaining(NOON + DAY / 2 - 1)).isEqualTo(49);
        assertThat(subject.remaining(NOON + DAY / 2)).isEqualTo(100);
        assertThat(subject.retryAfter(60, NOON)).isEqualTo(DAY / 2);
    }

    @Test
    void aSmallerBucketCountsForItselfAndALargerOneAllThatIsMissing() {
        subject.admits(20, NOON);

        subject.changeLimitTo(SMALL);
        assertThat(subject.admitted(9, at("12:00:00.5"))).isEqualTo(5);
        assertThat(subject.retryAfter(10, at("12:00:00.5"))).isEqualTo(SECOND);
        assertThat(subject.remaining(at("12:00:00.7"))).isEqualTo(2);

        subject.changeLimitTo(LARGE);
        assertThat(subject.remaining(at("12:00:00.5"))).isZero();
        assertThat(subject.retryAfter(20, at("12:00:00.5"))).isEqualTo(2 * SECOND);
    }

    @Test
    void aSmallerBucketThatTakesTokensHandsALargerOneNoneBack() {
        Quota vast = quota(10_000, DAY);
        Quota tiny = quota(10, DAY);
        subject.changeLimitTo(vast);
        subject.admits(10_000, NOON);

        subject.changeLimitTo(tiny);
        assertThat(subject.admitted(5, NOON + DAY / 4)).isEqualTo(2);

        // a quarter has come back, of which two were taken
        subject.changeLimitTo(vast);
        assertThat(subject.remaining(NOON + DAY / 4)).isEqualTo(2_498);
        assertThat(subject.resetAfter(NOON + DAY / 4)).isEqualTo(7_502 * DAY / 10_000);
        subject.changeLimitTo(tiny);
        assertThat(subject.remaining(NOON + DAY / 4)).isZero();
        assertThat(subject.lasts(NOON + DAY / 4)).isEqualTo(95 * DAY / 100); // 9.5 of ten
    }

    @Test
    void aBucketOfASmallerCapacityIsKeptUntilTheLargerOneIsFull() {
        subject.admits(20, NOON);

        subject.changeLimitTo(SMALL);
        subject.admits(1, at("12:00:01"));

        assertThat(subject.resetAfter(at("12:00:01"))).isEqualTo(SECOND / 10);
        assertThat(subject.lasts(at("12:00:01"))).isEqualTo(SECOND + SECOND / 10);
        assertThat(subject.lasts(at("12:00:02.1"))).isZero();
    }

    @Test
    void aSlowerQuotaKeepsWhatItFindsMissing() {
        subject.changeLimitTo(quota(10, SECOND));
        subject.admits(10, NOON);

        subject.changeLimitTo(new Quota(2, SECOND, 10));
        assertThat(subject.admitted(5, at("12:00:00.5"))).isEqualTo(1);
        subject.changeLimitTo(quota(10, SECOND));

        assertThat(subject.remaining(at("12:00:00.5"))).isZero();
    }

    @Test
    void aDebtCountsForEveryQuota() {
        subject.admits(15, NOON);
        subject.settle(8, NOON, NOON);

        // 23 are missing, three of them as a debt
        subject.changeLimitTo(SMALL);
        assertThat(subject.retryAfter(1, NOON)).isEqualTo(4 * SECOND / 10);
        subject.changeLimitTo(new Quota(2, SECOND, 2));
        assertThat(subject.resetAfter(NOON)).isEqualTo(2 * SECOND);
        subject.changeLimitTo(quota(100, SECOND));
        assertThat(subject.remaining(NOON)).isEqualTo(77);
    }

    @Test
    void whatASmallerBucketGivesBackIsThereForTheLargerOne() {
        subject.admits(12, NOON);
        subject.changeLimitTo(SMALL);
        subject.admits(2, at("12:00:00.2"));

        subject.giveBack(2, at("12:00:00.2"), at("12:00:00.2"));

        assertThat(subject.remaining(at("12:00:00.2"))).isEqualTo(2);
        subject.changeLimitTo(LARGE);
        assertThat(subject.remaining(at("12:00:00.2"))).isEqualTo(10);
    }

    @Test
    void beyondASmallerBucketThirdsOfATokenAreKeptToo() {
        subject.changeLimitTo(new Quota(3, SECOND, 8));
        subject.admits(8, NOON);
        subject.changeLimitTo(new Quota(3, SECOND, 4));
        subject.admits(1, NOON + 400_000); // 1.2 tokens have come

        subject.changeLimitTo(new Quota(3, SECOND, 8));

        assertThat(subject.resetAfter(NOON + 400_000)).isEqualTo(2_600_000);
    }
}
