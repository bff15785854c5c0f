package io.ratelimit.spring.internal.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.live.LimitOverride;
import io.ratelimit.spring.internal.live.OverrideStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

/**
 * Keeps overrides in one key of Redis, by overrides.lua. It uses no command that decisions do not use, so that it needs no
 * other rights. Thread-safe.
 */
final class RedisOverrides implements OverrideStore {

    private static final String SCRIPT = script();
    private static final Pattern LINE = Pattern.compile("(\\d{1,15}) (\\S+) (\\d{1,18}) (\\d{1,18}|-)");

    private final RedisConnections connections;
    private final String key;
    private final long timeoutMillis;
    private final Warning unreadable = new Warning(MessageCode.REDIS_REFUSES);

    RedisOverrides(RedisConnections connections, String keyPrefix, Duration timeout) {
        this.connections = connections;
        this.key = keyPrefix + ":overrides";
        this.timeoutMillis = timeout.toMillis();
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public CompletionStage<Kept> read() {
        return run("", "", "");
    }

    @Override
    public CompletionStage<Kept> begin(String limit, long maxRequests, @Nullable Long burst, Duration lasting) {
        return run(limit, maxRequests + " " + (burst == null ? "-" : burst), Long.toString(lasting.toMillis()));
    }

    @Override
    public CompletionStage<Kept> lift(String limit) {
        return run(limit, "", "");
    }

    private CompletionStage<Kept> run(String... arguments) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        try {
            RedisFuture<String> command =
                    connections.commands().eval(SCRIPT, ScriptOutputType.VALUE, new String[] {key}, arguments);
            command.whenComplete((text, failure) -> {
                if (failure == null) {
                    reply.complete(text);
                } else {
                    reply.completeExceptionally(failure);
                }
            });
            reply.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS).whenComplete((text, failure) -> {
                if (failure != null) {
                    command.cancel(true); // is not to be repeated by a later connection
                }
            });
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(unavailable);
        }
        return reply.handle((text, failure) -> {
            if (failure != null) {
                throw unavailable(Stages.unwrap(failure));
            }
            return kept(text);
        });
    }

    private StoreUnavailableException unavailable(Throwable failure) {
        if (String.valueOf(failure.getMessage()).contains("WRONGTYPE")) {
            warn();
        }
        if (failure instanceof StoreUnavailableException unavailable) {
            return unavailable;
        }
        return new StoreUnavailableException(
                failure instanceof TimeoutException
                        ? "Redis has not answered for %d ms".formatted(timeoutMillis)
                        : "Redis failed: " + failure.getMessage(),
                failure);
    }

    private void warn() {
        unreadable.logOnce(
                "The key '{}' in Redis holds what is no override, which is ignored: the next change of an override replaces"
                        + " it. Let nothing else write that key",
                key);
    }

    private Kept kept(String text) {
        List<String> lines = text.lines().toList();
        return new Kept(
                instant(lines.get(0)),
                lines.stream().skip(1).flatMap(this::override).toList());
    }

    private Stream<LimitOverride> override(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            warn();
            return Stream.of();
        }
        return Stream.of(new LimitOverride(
                matcher.group(2),
                Long.parseLong(matcher.group(3)),
                matcher.group(4).equals("-") ? null : Long.valueOf(matcher.group(4)),
                instant(matcher.group(1))));
    }

    private static Instant instant(String millis) {
        return Instant.ofEpochMilli(Long.parseLong(millis));
    }

    private static String script() {
        try {
            return new ClassPathResource("overrides.lua", RedisOverrides.class)
                    .getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("overrides.lua cannot be read: the jar is incomplete", unreadable);
        }
    }
}
