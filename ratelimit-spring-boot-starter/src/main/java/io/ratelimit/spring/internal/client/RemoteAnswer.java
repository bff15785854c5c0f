package io.ratelimit.spring.internal.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;

/**
 * What an answer of a partner says about its limits. Times are counted from the answer's {@code Date}, so that clocks that
 * differ do not matter. What cannot be read, or is negative or over, says nothing. Immutable.
 *
 * @param headers those that may say something, by their names, which ignore case
 * @param came when the answer came, by the clock of this process
 */
record RemoteAnswer(int status, Map<String, List<String>> headers, Instant came) {

    private static final Duration LONGEST = Duration.ofDays(366);

    /** Numbers above are no seconds from now, but seconds since 1970: of 2001 and later. */
    private static final long FIRST_EPOCH_SECOND = 1_000_000_000L;

    private static final long FIRST_EPOCH_MILLI = 1_000_000_000_000L;

    private static final Pattern NUMBER = Pattern.compile("(\\d{1,30})(\\.\\d{1,9})?");
    private static final Pattern COUNT = Pattern.compile("\\d{1,18}(\\.\\d{1,9})?");
    private static final Pattern SPAN = Pattern.compile("(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ms|us|µs|ns|h|m|s)){1,9}");
    private static final Pattern PART_OF_SPAN = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|us|µs|ns|h|m|s)");
    private static final Pattern STRING = Pattern.compile("\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+){0,100}\"");
    private static final Pattern REMAINING = Pattern.compile("\\bremaining\\s*=\\s*(\\d{1,18})\\b");
    private static final Pattern RESET = Pattern.compile("\\breset\\s*=\\s*(\\d{1,18})\\b");
    private static final Pattern ITEM_REMAINING = Pattern.compile(";\\s*r=(\\d{1,18})\\b");
    private static final Pattern ITEM_RESET = Pattern.compile(";\\s*t=(\\d{1,18})\\b");

    /** The beginnings of the names of headers that are read. */
    private static final List<String> READ = List.of("Retry-After", "RateLimit", "X-RateLimit", "Date");

    /** So many requests are left until the period ends, in so long. */
    record Left(long remaining, Duration reset) {}

    /** @param came when the answer came, by the clock of this process */
    static RemoteAnswer of(int status, HttpHeaders headers, Instant came) {
        Map<String, List<String>> read = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> {
            if (READ.stream().anyMatch(begin -> name.regionMatches(true, 0, begin, 0, begin.length()))) {
                read.computeIfAbsent(name, unknown -> new ArrayList<>()).addAll(values);
            }
        });
        return new RemoteAnswer(status, read, came);
    }

    /**
     * Returns the least that one of these headers leaves; of several that leave nothing, the one whose period ends last.
     * Empty if none says anything.
     */
    Optional<Left> left(List<ObeyedHeaders> obeyed) {
        return obeyed.stream()
                .flatMap(this::lefts)
                .map(left -> left.reset().compareTo(LONGEST) > 0 ? new Left(left.remaining(), LONGEST) : left)
                .filter(left -> left.reset().compareTo(Duration.ZERO) > 0)
                .min(Comparator.comparingLong(Left::remaining).thenComparing(Left::reset, Comparator.reverseOrder()));
    }

    private Stream<Left> lefts(ObeyedHeaders family) {
        return switch (family.kind()) {
            case RETRY_AFTER -> status == 429 || status == 503 ? retryAfter() : Stream.empty();
            case RATELIMIT ->
                Stream.concat(
                        values(headers, "RateLimit").flatMap(RemoteAnswer::lefts),
                        lefts("RateLimit-Remaining", "RateLimit-Reset"));
            case X_RATELIMIT -> lefts("X-RateLimit-Remaining" + family.suffix(), "X-RateLimit-Reset" + family.suffix());
        };
    }

    private Stream<Left> retryAfter() {
        return values(headers, "Retry-After")
                .flatMap(value -> (NUMBER.matcher(value).matches()
                                ? seconds(value)
                                : date(value).map(this::until))
                        .stream())
                .map(wait -> new Left(0, wait));
    }

    /** Reads the form of draft 11, or that of draft 7. What stands in strings is no number, and one without an end says nothing. */
    private static Stream<Left> lefts(String value) {
        boolean isList = value.startsWith("\"");
        String outside = STRING.matcher(value).replaceAll("string");
        if (outside.indexOf('"') >= 0) {
            return Stream.empty();
        }
        Stream<String> items = isList ? Stream.of(outside.split(",")) : Stream.of(outside);
        return items.flatMap(item -> found(item, isList ? ITEM_REMAINING : REMAINING)
                .flatMap(remaining -> found(item, isList ? ITEM_RESET : RESET)
                        .flatMap(reset -> seconds(reset).stream())
                        .map(reset -> new Left(Long.parseLong(remaining), reset))));
    }

    /** Reads both headers. Of several resets the longest is that of all. */
    private Stream<Left> lefts(String remaining, String reset) {
        return values(headers, reset).flatMap(value -> reset(value).stream()).max(Comparator.naturalOrder()).stream()
                .flatMap(longest -> values(headers, remaining)
                        .filter(value -> COUNT.matcher(value).matches())
                        .map(value -> new Left(Long.parseLong(value.replaceFirst("\\..*", "")), longest)));
    }

    /** Reads seconds from now, seconds or milliseconds since 1970, a date, or a span of time such as 6m0s. */
    private Optional<Duration> reset(String value) {
        if (NUMBER.matcher(value).matches()) {
            return seconds(value).map(this::sinceEpochOrFromNow);
        }
        return SPAN.matcher(value).matches() ? span(value) : date(value).map(this::until);
    }

    private Duration sinceEpochOrFromNow(Duration number) {
        if (number.toSeconds() >= FIRST_EPOCH_MILLI) {
            return until(Instant.ofEpochMilli(Math.min(number.toSeconds(), Long.MAX_VALUE / 1_000_000)));
        }
        return number.toSeconds() >= FIRST_EPOCH_SECOND ? until(Instant.EPOCH.plus(number)) : number;
    }

    private Duration until(Instant time) {
        Instant now = values(headers, "Date")
                .flatMap(date -> date(date).stream())
                .findFirst()
                .orElse(came);
        return Duration.between(now, time);
    }

    private static Optional<Duration> span(String value) {
        double most = LONGEST.toSeconds() * 1e9;
        return PART_OF_SPAN
                .matcher(value)
                .results()
                .map(part -> Double.parseDouble(part.group(1)) * nanos(part.group(2)))
                .map(nanos -> Duration.ofNanos((long) Math.min(most, nanos)))
                .reduce(Duration::plus);
    }

    private static double nanos(String unit) {
        return switch (unit) {
            case "h" -> 3_600e9;
            case "m" -> 60e9;
            case "s" -> 1e9;
            case "ms" -> 1e6;
            case "ns" -> 1;
            default -> 1e3;
        };
    }

    /** Reads seconds, also more of them than a long holds. */
    private static Optional<Duration> seconds(String value) {
        Matcher number = NUMBER.matcher(value);
        if (!number.matches()) {
            return Optional.empty();
        }
        long whole = number.group(1).length() > 17 ? 100_000_000_000_000_000L : Long.parseLong(number.group(1));
        long nanos = number.group(2) == null ? 0 : Math.round(Double.parseDouble("0" + number.group(2)) * 1e9);
        return Optional.of(Duration.ofSeconds(whole, nanos));
    }

    private static Optional<Instant> date(String value) {
        try {
            return Optional.of(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException unreadable) {
            return Optional.empty();
        }
    }

    private static Stream<String> found(String item, Pattern number) {
        Matcher found = number.matcher(item);
        return found.find() ? Stream.of(found.group(1)) : Stream.empty();
    }

    private static Stream<String> values(Map<String, List<String>> headers, String name) {
        return headers.getOrDefault(name, List.of()).stream().map(String::strip);
    }
}
