package io.ratelimit.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.ratelimit.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The engine script for one set of algorithms: the {@code .lua} resources one after the other, and their SHA-1 digest.
 * Algorithms that a batch does not use are left out, because defining their functions would cost time in every call.
 * The short path for a single call of a log is included only if the log is the only algorithm, without bans, and bans only
 * if a limit has one.
 */
record EngineScript(String text, String sha) {

    /** The fragment of bans. */
    static final String BAN = "ban";

    private static final Pattern FAILED_LINE = Pattern.compile("@user_script:(\\d+)");
    private static final Map<String, String> RESOURCES = new ConcurrentHashMap<>();
    private static final Pattern COMMAND = Pattern.compile("call\\('([A-Z]+)'");

    /** @param bans whether a limit of these algorithms has a ban */
    static EngineScript of(String clockText, Collection<Algorithm> algorithms, boolean bans) {
        StringBuilder text = new StringBuilder(clockText).append(resource("shared"));
        Set<Algorithm> inOrder = EnumSet.copyOf(algorithms);
        if (inOrder.equals(EnumSet.of(Algorithm.SLIDING_WINDOW_LOG)) && !bans) {
            text.append(resource("sliding-window-log-alone"));
        }
        if (inOrder.contains(Algorithm.SLIDING_WINDOW_COUNTER) || inOrder.contains(Algorithm.TOKEN_BUCKET)) {
            text.append(resource("arithmetic"));
        }
        inOrder.forEach(algorithm -> text.append(resource(algorithm.label())));
        if (bans) {
            text.append(resource(BAN));
        }
        text.append(resource("engine"));
        return new EngineScript(text.toString(), sha1(text.toString()));
    }

    /**
     * Returns the failure with the name of the Redis command added. If the user has no right to a command, Redis names
     * only the line of the script.
     */
    Throwable named(Throwable failure) {
        Matcher line = FAILED_LINE.matcher(String.valueOf(failure.getMessage()));
        if (!(failure instanceof RedisCommandExecutionException) || !line.find()) {
            return failure;
        }
        String called = text.lines()
                .skip(Integer.parseInt(line.group(1)) - 1L)
                .findFirst()
                .orElse("");
        Matcher command = COMMAND.matcher(called);
        return command.find()
                ? new RedisCommandExecutionException(
                        failure.getMessage() + " Command '%s'".formatted(command.group(1)), failure)
                : failure;
    }

    /** Reads every fragment now: the first call may come from a thread that must not block. */
    static void readAll() {
        Stream.concat(
                        Stream.of("shared", "sliding-window-log-alone", "arithmetic", BAN, "engine"),
                        Arrays.stream(Algorithm.values()).map(Algorithm::label))
                .forEach(EngineScript::resource);
    }

    static String resource(String name) {
        return RESOURCES.computeIfAbsent(name, EngineScript::read);
    }

    private static String read(String name) {
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
            throw new IllegalStateException("this Java platform has no SHA-1, which every platform must have", missing);
        }
    }
}
