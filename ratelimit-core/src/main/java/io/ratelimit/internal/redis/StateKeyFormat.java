package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.Window;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.SubjectHash;
import java.nio.charset.StandardCharsets;

/**
 * Builds the key of a limit's state for a subject: {@code <prefix>:{<subject>}:<limit>:<algorithm>:<window>:<format>},
 * for example {@code rate_limit:{alice}:hourly:sliding-window-counter:1h:2}. The braces put all limits of a subject
 * into one Cluster slot. The format is the version of the value, so that versions of this library with other values use
 * other keys. The key of a limit that only reports ends with {@code :report-only}. Thread-safe.
 *
 * <p>A subject is replaced by its SHA-256 in base64url if it is empty, longer than 64 bytes, or contains braces,
 * control characters, white space or broken surrogates. A subject that looks like such a hash is hashed too, because
 * otherwise it could use another subject's key.
 */
final class StateKeyFormat {

    private static final int FORMAT = 2;

    private final String prefix;

    /**
     * @throws IllegalArgumentException if the prefix is blank, contains a brace, which would change the slot, or a broken
     *     surrogate, in whose place all keys would have the same byte
     */
    StateKeyFormat(String prefix) {
        if (prefix.isBlank()
                || prefix.indexOf('{') >= 0
                || prefix.indexOf('}') >= 0
                || !SubjectHash.isWellFormed(prefix)) {
            throw new IllegalArgumentException(
                    "key-prefix '%s' must not be blank or contain a brace or half a surrogate pair: choose a name such as rate_limit"
                            .formatted(prefix));
        }
        this.prefix = prefix;
    }

    String key(Charge charge) {
        return key(charge.limit(), charge.subject());
    }

    String key(Limit limit, String subject) {
        String name = isPlain(subject) ? subject : SubjectHash.of(subject);
        return prefix + ":{" + name + "}:" + limit.name() + ':'
                + limit.algorithm().label() + ':' + window(limit.quota().window()) + ':' + FORMAT
                + (limit.reportOnly() ? ":report-only" : "");
    }

    /** Returns the key of the bans beside that of a state: no state has it, because a state's key does not end so. */
    static String banKey(String stateKey) {
        return stateKey + ":ban";
    }

    /** Returns the period of the calendar, or the length and the parts that it is divided into, such as {@code 1h/60}. */
    private static String window(Window window) {
        if (window.period().isPresent()) {
            return window.period().get().toString();
        }
        return window.buckets() == 1
                ? Micros.text(window.micros())
                : Micros.text(window.micros()) + '/' + window.buckets();
    }

    private static boolean isPlain(String subject) {
        int length = subject.length();
        if (length == 0 || length > SubjectHash.LONGEST_BYTES) {
            return false;
        }
        boolean ascii = true;
        for (int i = 0; i < length; i++) {
            char c = subject.charAt(i);
            ascii &= c < 0x80;
            if (c == '{' || c == '}' || (c < 0x80 ? c <= ' ' || c == 0x7F : isBlankOrControl(c))) {
                return false;
            }
        }
        return !SubjectHash.isLike(subject) && (ascii || isShortAndWellFormed(subject));
    }

    private static boolean isBlankOrControl(char c) {
        return Character.isISOControl(c) || Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    private static boolean isShortAndWellFormed(String subject) {
        return SubjectHash.isWellFormed(subject)
                && subject.getBytes(StandardCharsets.UTF_8).length <= SubjectHash.LONGEST_BYTES;
    }
}
