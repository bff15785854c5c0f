package io.ratelimit.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The SHA-256 of a subject, in 43 characters of base64url: what stands for a subject that is too long, or not fit, to
 * be kept as it is. A subject that looks like such a hash must be hashed too, or it could claim another's count.
 */
public final class SubjectHash {

    /** A subject of more UTF-8 bytes than this is too long. */
    public static final int LONGEST_BYTES = 64;

    private static final int LENGTH = 43;
    private static final Pattern HASH = Pattern.compile("[A-Za-z0-9_-]{43}");

    private SubjectHash() {}

    /** Whether it could be taken for the hash of another. */
    public static boolean isLike(String subject) {
        return subject.length() == LENGTH && HASH.matcher(subject).matches();
    }

    public static String of(String subject) {
        byte[] bytes = isWellFormed(subject) ? subject.getBytes(StandardCharsets.UTF_8) : chars(subject);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one says not", missing);
        }
    }

    /** Whether it has no broken surrogate, which UTF-8 has no bytes for. */
    public static boolean isWellFormed(String subject) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(subject);
    }

    /** An encoder would make one character of all broken surrogates. The byte in front stands in no UTF-8. */
    private static byte[] chars(String subject) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * subject.length()).put((byte) 0xFF);
        subject.chars().forEach(c -> bytes.putChar((char) c));
        return bytes.array();
    }
}
