package io.ratelimit.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Computes the SHA-256 of a subject in 43 characters of base64url, which replaces subjects that are too long or contain
 * unsuitable characters. A subject that looks like such a hash must be hashed too, because otherwise it could use
 * another subject's counts.
 */
public final class SubjectHash {

    /** The largest number of UTF-8 bytes of a subject that is kept as it is. */
    public static final int LONGEST_BYTES = 64;

    private static final int LENGTH = 43;
    private static final Pattern HASH = Pattern.compile("[A-Za-z0-9_-]{43}");

    private SubjectHash() {}

    /** Returns whether the subject could be mistaken for the hash of another one. */
    public static boolean isLike(String subject) {
        return subject.length() == LENGTH && HASH.matcher(subject).matches();
    }

    /**
     * Returns the subject, or its hash if it is long, because clients may choose subjects of any length and could fill the
     * heap.
     */
    public static String shortened(String subject) {
        boolean kept = subject.length() <= LONGEST_BYTES && !isLike(subject);
        return kept ? subject : of(subject);
    }

    public static String of(String subject) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(subject));
    }

    /** Returns the SHA-256 of a text. Texts that differ in broken surrogates only have different ones, too. */
    public static byte[] sha256(String text) {
        byte[] bytes = isWellFormed(text) ? text.getBytes(StandardCharsets.UTF_8) : chars(text);
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(
                    "this Java platform has no SHA-256, which every platform must have", missing);
        }
    }

    /** Returns whether the subject has no broken surrogates, which UTF-8 cannot encode. */
    public static boolean isWellFormed(String subject) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(subject);
    }

    /**
     * Encodes broken surrogates as they are; an encoder would replace them all alike. UTF-8 never contains the first
     * byte.
     */
    private static byte[] chars(String subject) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * subject.length()).put((byte) 0xFF);
        subject.chars().forEach(c -> bytes.putChar((char) c));
        return bytes.array();
    }
}
