package io.ratelimit.sample.playground;

import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;

/**
 * Parameters of a request, read strictly: each is given at most once, and a number is written in decimal digits. Data
 * binding would also accept {@code 0x10}, digits of other scripts, and the first of several values.
 */
record Parameters(MultiValueMap<String, String> values) {

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,40}");

    /** Returns null if the parameter is not there. */
    @Nullable
    String text(String name) {
        List<String> given = values.getOrDefault(name, List.of());
        if (given.size() > 1) {
            throw new IllegalArgumentException("%s is given %d times: give it once".formatted(name, given.size()));
        }
        return given.isEmpty() ? null : given.get(0);
    }

    long required(String name, long least, long most, String because) {
        return number(name, least, most, because).orElseThrow(() -> new IllegalArgumentException(name + " is missing"));
    }

    /** Returns nothing if the parameter is not there, and throws if it is not a whole number within the bounds. */
    OptionalLong number(String name, long least, long most, String because) {
        String text = text(name);
        if (text == null) {
            return OptionalLong.empty();
        }
        if (!INTEGER.matcher(text).matches()) {
            throw new IllegalArgumentException("%s '%s' is not a whole number".formatted(name, text));
        }
        BigInteger value = new BigInteger(text);
        if (value.compareTo(BigInteger.valueOf(least)) < 0 || value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new IllegalArgumentException(
                    "%s '%s' must be at least %d and at most %d: %s".formatted(name, text, least, most, because));
        }
        return OptionalLong.of(value.longValueExact());
    }
}
