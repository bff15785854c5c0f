package io.ratelimit.spring.hostile;

import java.nio.charset.StandardCharsets;

/**
 * What is sent, one character a byte.
 *
 * @param alone whether it may be read as less or more than one request
 */
record RawRequest(String method, String text, boolean alone) {

    byte[] bytes() {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    /** For messages: the beginning, in ASCII. */
    @Override
    public String toString() {
        StringBuilder shown = new StringBuilder();
        text.substring(0, Math.min(600, text.length()))
                .chars()
                .forEach(c -> shown.append(c < ' ' || c > '~' ? "\\x%02x".formatted(c) : (char) c));
        return shown.toString();
    }
}
