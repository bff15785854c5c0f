package io.ratelimit.lab.kit;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the command line says of the limiter.
 *
 * @param subjectHeader the request header that names the subject
 * @param inAnyWindow what the limiter's documentation allows in a window, wherever that begins
 * @param untilWhole how long a subject must pause until its whole limit is free
 * @param second another address of the same service
 * @param weighted an address whose calls cost {@code weight}, on the same limit
 * @param out where the JSON and XML reports go
 */
record KitOptions(
        URI url,
        String subjectHeader,
        long limit,
        Duration window,
        long inAnyWindow,
        Duration untilWhole,
        Optional<URI> second,
        Optional<URI> weighted,
        long weight,
        Path out) {

    static final String USAGE = """
            kit --url=http://localhost:8080/demo --header=X-User --limit=10 --window=10s
              --in-any-window=20   what the limiter's documentation allows in a window, wherever that begins; default: the limit
              --wait=20s           how long until a subject's whole limit is free again; default: the window
              --second-url=...     another address of the same service
              --weighted-url=...   an address whose calls cost --weight=5 of the same limit
              --out=folder         where kit.json and kit.xml go; default: ratelimit-lab/target
            """;
    private static final Set<String> NAMES = Set.of(
            "url", "header", "limit", "window", "in-any-window", "wait", "second-url", "weighted-url", "weight", "out");
    private static final Pattern ARGUMENT = Pattern.compile("--([a-z-]+)=(.+)");
    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h)?");

    /** @throws IllegalArgumentException if an option is missing, unknown or cannot be read */
    static KitOptions parse(String... args) {
        Map<String, String> values = new HashMap<>();
        for (String arg : args) {
            Matcher argument = ARGUMENT.matcher(arg);
            if (!argument.matches() || !NAMES.contains(argument.group(1))) {
                throw new IllegalArgumentException("'%s' is not an option:%n%s".formatted(arg, USAGE));
            }
            values.put(argument.group(1), argument.group(2));
        }
        long limit = Long.parseLong(required(values, "limit"));
        Duration window = duration(required(values, "window"));
        return new KitOptions(
                URI.create(required(values, "url")),
                required(values, "header"),
                limit,
                window,
                Long.parseLong(values.getOrDefault("in-any-window", Long.toString(limit))),
                values.containsKey("wait") ? duration(values.get("wait")) : window,
                Optional.ofNullable(values.get("second-url")).map(URI::create),
                Optional.ofNullable(values.get("weighted-url")).map(URI::create),
                Long.parseLong(values.getOrDefault("weight", "2")),
                Path.of(values.getOrDefault("out", "ratelimit-lab/target")));
    }

    private static String required(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--%s is missing:%n%s".formatted(name, USAGE));
        }
        return value;
    }

    private static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid duration: use 500ms, 10s, 1m or 1h".formatted(text));
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2) == null ? "s" : matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofSeconds(number);
        };
    }
}
