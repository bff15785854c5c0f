package io.ratelimit.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ApproximateElementsTest {

    private static final double STANDARD_ERROR = 0.0065;
    private static final long NUMBERS = 1L << 53;

    private final Elements elements = new ApproximateElements();

    @Test
    void theFirstElementsAreCountedOneByOne() {
        for (long element = 1; element <= 50; element++) {
            assertThat(elements.contains(element)).isFalse();
            elements.add(element);
            elements.add(element);
            assertThat(elements.contains(element)).isTrue();
            assertThat(elements.size()).isEqualTo(element);
        }
    }

    @Test
    void theHighestNumbersHaveAPlaceToo() {
        for (long element : List.of(1L, 1L << 14, 1L << 52, NUMBERS - 1, NUMBERS - (1L << 14))) {
            elements.add(element);
            assertThat(elements.contains(element)).isTrue();
        }
        assertThat(elements.size())
                .isEqualTo(4); // 2^14 and 2^52 are in the first register, and the rank of 2^52 is higher
    }

    @Test
    void clearedItIsAsNew() {
        elements.add(7);
        elements.clear();
        assertThat(elements.contains(7)).isFalse();
        assertThat(elements.size()).isZero();
        elements.add(8);
        assertThat(elements.size()).isEqualTo(1);
    }

    /** Four standard errors: one seed in 16,000 exceeds them at one of the sizes. */
    @Test
    void theErrorIsThatOfTheStatedStandardError() {
        SeededRandom.each("errors of the approximate count", 5, random -> {
            Elements counted = new ApproximateElements();
            StringBuilder errors = new StringBuilder("approximate count:");
            for (int added = 1; added <= 1_000_000; added++) {
                counted.add(random.between(1, NUMBERS - 1));
                if (added == 1_000 || added == 30_000 || added == 1_000_000) {
                    double error = counted.size() / (double) added - 1;
                    errors.append(String.format(Locale.ROOT, " %+.2f%% of %,d", 100 * error, added));
                    assertThat(error).isCloseTo(0, within(4 * STANDARD_ERROR + 1.0 / added));
                }
            }
            System.out.println(errors);
        });
    }

    @Test
    void theStandardErrorIsAsStated() {
        SeededRandom.each("standard error of the approximate count", 1, random -> {
            List<Double> squares = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Elements counted = new ApproximateElements();
                for (int added = 0; added < 50_000; added++) {
                    counted.add(random.between(1, NUMBERS - 1));
                }
                squares.add(Math.pow(counted.size() / 50_000.0 - 1, 2));
            }
            double error = Math.sqrt(
                    squares.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
            assertThat(error).isBetween(0.7 * STANDARD_ERROR, 1.3 * STANDARD_ERROR);
        });
    }
}
