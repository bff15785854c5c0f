package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Names the key of a limit's state for a subject: {@code <prefix>:{<subject>}:<limit>:<algorithm>}. The braces put all
 * limits of a subject in one Cluster slot.
 *
 * <p>A subject that is empty, over 64 bytes or holds braces, control characters, white space or broken surrogates goes
 * in as the SHA-256 of it, in base64url. So does one that looks like such a hash, or it could claim another's key.
 */
final class StateKeys {

    private static final int LONGEST_BYTES = 64;
    private static final Pattern LIKE_A_HASH = Pattern.compile("[A-Za-z0-9_-]{43}");

    private final String prefix;

    /** @throws IllegalArgumentException if the prefix is blank or holds a brace, which would move the slot */
    StateKeys(String prefix) {
        if (prefix.isBlank() || prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "key-prefix '%s' must not be blank or hold a brace: choose a name such as rate_limit"
                            .formatted(prefix));
        }
        this.prefix = prefix;
    }

    String key(Charge charge) {
        return key(charge.limit(), charge.subject());
    }

    String key(Limit limit, String subject) {
        String name = isPlain(subject) ? subject : hash(subject);
        return prefix + ":{" + name + "}:" + limit.name() + ':'
                + limit.algorithm().label();
    }

    private static boolean isPlain(String subject) {
        int length = subject.length();
        if (length == 0 || length > LONGEST_BYTES) {
            return false;
        }
        boolean ascii = true;
        for (int i = 0; i < length; i++) {
            char c = subject.charAt(i);
            ascii &= c < 0x80;
            if (c == '{'
                    || c == '}'
                    || Character.isISOControl(c)
                    || Character.isWhitespace(c)
                    || Character.isSpaceChar(c)) {
                return false;
            }
        }
        boolean plain = ascii || (isWellFormed(subject) && utf8(subject).length <= LONGEST_BYTES);
        return plain && !(length == 43 && LIKE_A_HASH.matcher(subject).matches());
    }

    private static boolean isWellFormed(String subject) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(subject);
    }

    private static String hash(String subject) {
        byte[] bytes = isWellFormed(subject) ? utf8(subject) : chars(subject);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one says not", missing);
        }
    }

    private static byte[] utf8(String subject) {
        return subject.getBytes(StandardCharsets.UTF_8);
    }

    /** An encoder would make one character of all broken surrogates. The byte in front stands in no UTF-8. */
    private static byte[] chars(String subject) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * subject.length()).put((byte) 0xFF);
        subject.chars().forEach(c -> bytes.putChar((char) c));
        return bytes.array();
    }
}
