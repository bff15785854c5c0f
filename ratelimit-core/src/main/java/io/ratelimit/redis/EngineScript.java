package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * The engine for one set of algorithms: whole {@code .lua} resources one after the other, and the digest by which Redis
 * knows them. Algorithms that are not in use stay out, for defining their functions would cost time at every call.
 */
record EngineScript(String text, String sha) {

    static EngineScript of(String clockText, Collection<Algorithm> algorithms) {
        StringBuilder text = new StringBuilder(clockText).append(resource("shared"));
        Set<Algorithm> inOrder = EnumSet.copyOf(algorithms);
        inOrder.forEach(algorithm -> text.append(resource(algorithm.label())));
        text.append(resource("engine"));
        return new EngineScript(text.toString(), sha1(text.toString()));
    }

    static String resource(String name) {
        try (InputStream in = EngineScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException(
                        "'%s.lua' is missing beside %s: the jar is incomplete".formatted(name, EngineScript.class));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException("'%s.lua' cannot be read".formatted(name), broken);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-1, but this one says not", missing);
        }
    }
}
