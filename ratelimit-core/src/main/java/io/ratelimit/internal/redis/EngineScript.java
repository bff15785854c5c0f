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
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The engine script for one set of fragments: the {@code .lua} resources one after the other, and their SHA-1 digest.
 * Fragments that a batch does not use are left out, because defining their functions would cost time in every call.
 * The short path of logs or buckets is included only if theirs is the only fragment.
 */
record EngineScript(String text, String sha) {

    /** The fragment of bans. */
    static final String BAN = "ban";

    /** The fragment of windows that are periods of a calendar. */
    static final String CALENDAR = "fixed-window-calendar";

    /** The fragment of windows that are divided into parts. */
    static final String PARTS = "sliding-window-parts";

    private static final String LEAST_MISSING = "least-missing";

    /** The fragments that write only some bytes of a key's value. */
    static final Set<String> WRITING_BYTES =
            Set.of(Algorithm.SLIDING_WINDOW_LOG.label(), Algorithm.APPROXIMATE_UNIQUE_COUNT.label(), PARTS);

    private static final Set<String> COMPUTING =
            Set.of(Algorithm.SLIDING_WINDOW_COUNTER.label(), Algorithm.TOKEN_BUCKET.label(), PARTS);

    /** The fragments of which a batch may have a short path. */
    private static final Set<String> ALONE =
            Set.of(Algorithm.SLIDING_WINDOW_LOG.label(), Algorithm.TOKEN_BUCKET.label());

    private static final Pattern FAILED_LINE = Pattern.compile("@user_script:(\\d+)");
    private static final Map<String, String> RESOURCES = new ConcurrentHashMap<>();
    private static final Pattern COMMAND = Pattern.compile("call\\('([A-Z]+)'");

    /** @param fragments in order, because one stands after another whose functions it uses */
    static EngineScript of(String clockText, SortedSet<String> fragments) {
        StringBuilder text = new StringBuilder(clockText).append(resource("shared"));
        if (fragments.size() == 1 && ALONE.contains(fragments.first())) {
            text.append(resource(alone(fragments.first())));
        }
        if (!Collections.disjoint(fragments, COMPUTING)) {
            text.append(resource("arithmetic"));
        }
        if (fragments.contains(Algorithm.TOKEN_BUCKET.label())) {
            text.append(resource(LEAST_MISSING));
        }
        SortedSet<String> whole = new TreeSet<>(fragments);
        if (fragments.contains(CALENDAR)) {
            whole.add(Algorithm.FIXED_WINDOW.label());
        }
        whole.forEach(fragment -> text.append(resource(fragment)));
        text.append(resource("block")).append(resource("engine"));
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
        Stream.of("shared", "arithmetic", LEAST_MISSING, BAN, CALENDAR, PARTS, "block", "engine")
                .forEach(EngineScript::resource);
        ALONE.forEach(fragment -> resource(alone(fragment)));
        Arrays.stream(Algorithm.values()).map(Algorithm::label).forEach(EngineScript::resource);
    }

    private static String alone(String fragment) {
        return fragment + "-alone";
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
