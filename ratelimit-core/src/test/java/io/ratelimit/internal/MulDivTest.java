package io.ratelimit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Compares with {@link BigInteger}, also where the product passes 63 bits. */
class MulDivTest {

    @Property
    void dividesProductsInWholeNumbers(
            @ForAll @LongRange(max = Long.MAX_VALUE) long a,
            @ForAll @LongRange(max = Long.MAX_VALUE) long b,
            @ForAll @LongRange(max = Long.MAX_VALUE) long more,
            @ForAll @LongRange(min = 1, max = Long.MAX_VALUE) long divisor) {
        BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
        BigInteger[] plain = product.divideAndRemainder(BigInteger.valueOf(divisor));
        BigInteger[] withMore = product.add(BigInteger.valueOf(more)).divideAndRemainder(BigInteger.valueOf(divisor));

        if (plain[0].bitLength() < Long.SIZE) {
            assertThat(MulDiv.floorDiv(a, b, divisor)).isEqualTo(plain[0].longValueExact());
            assertThat(MulDiv.remainder(a, b, divisor)).isEqualTo(plain[1].longValueExact());
        }
        if (withMore[0].bitLength() < Long.SIZE) {
            assertThat(MulDiv.floorDiv(a, b, more, divisor)).isEqualTo(withMore[0].longValueExact());
        }
    }

    @Example
    void isExactWhereOnlyTheSumPassesSixtyThreeBits() {
        assertThat(MulDiv.floorDiv(1, Long.MAX_VALUE, Long.MAX_VALUE, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(MulDiv.floorDiv(1, 7, Long.MAX_VALUE, 16)).isEqualTo(1L << 59);
    }
}
