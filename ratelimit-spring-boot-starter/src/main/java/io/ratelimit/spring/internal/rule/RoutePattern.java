package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Parses the path patterns of routes, and rejects texts that are valid patterns but match no request. */
public final class RoutePattern {

    private static final Pattern METHOD =
            Pattern.compile("(?i)(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE)[\\s:]+(/.*)");
    private static final Pattern URL = Pattern.compile("[A-Za-z]+://[^/]*(/.*)?");
    private static final Pattern PARAMETERS = Pattern.compile("\\?[^/]*=.*|;[^/]*=[^/]*");
    private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");
    private static final Pattern UNRESOLVED_SEGMENT = Pattern.compile("//|(^|/)\\.\\.?(/|$)");

    /** All paths below a literal one. */
    private static final Pattern BELOW = Pattern.compile("((?:/[^/*?{}]+)*)/(?:\\*\\*|\\{\\*[^}]*})");

    /** Variables, which may hold regular expressions. */
    private static final Pattern VARIABLE = Pattern.compile("\\{[^/]*}");

    /** The name of a variable, such as {@code {tenant}}, {@code {id:[0-9]+}} or {@code {*rest}}. */
    private static final Pattern NAME = Pattern.compile("\\{\\*?([^/:{}]+)[:}]");

    private RoutePattern() {}

    /** Returns the names of all variables in these patterns. */
    public static Set<String> variables(List<PathPattern> patterns) {
        return patterns.stream()
                .flatMap(pattern -> NAME.matcher(pattern.getPatternString()).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    /**
     * Returns the pattern of that text.
     *
     * @throws InvalidRateLimitException if it is not a path pattern, or no request could match it
     */
    public static PathPattern parse(String path, String where) {
        if (path.isBlank()) {
            throw new InvalidRateLimitException(
                    MessageCode.PATH_INVALID,
                    where,
                    "'%s' is not a path: write one such as /api/**, or /** for all".formatted(path));
        }
        String hint = hint(path);
        if (!hint.isEmpty()) {
            throw new InvalidRateLimitException(MessageCode.PATH_INVALID, where, "'%s' %s".formatted(path, hint));
        }
        try {
            PathPatternParser parser = PathPatternParser.defaultInstance;
            return parser.parse(parser.initFullPathPattern(path));
        } catch (PatternParseException unparsable) {
            throw new InvalidRateLimitException(
                    MessageCode.PATH_INVALID,
                    where,
                    "'%s' is not a valid path pattern: %s".formatted(path, unparsable.getMessage()),
                    unparsable);
        }
    }

    /**
     * Checks that no path is excluded as a whole.
     *
     * @throws InvalidRateLimitException if one is
     */
    public static void checkExcluded(List<PathPattern> paths, List<PathPattern> excluded, String where) {
        for (PathPattern path : paths) {
            for (PathPattern one : excluded) {
                if (one.equals(path) || isBelow(path.getPatternString(), one.getPatternString())) {
                    throw new InvalidRateLimitException(
                            MessageCode.PATH_INVALID,
                            where,
                            "'%s' excludes all of '%s', one of the route's paths, which then matches no request: leave it out of paths, or exclude a part of it"
                                    .formatted(one.getPatternString(), path.getPatternString()));
                }
            }
        }
    }

    /** True if all paths of a pattern are below a literal one that is excluded with them, such as {@code /api/**}. */
    private static boolean isBelow(String path, String excluded) {
        Matcher below = BELOW.matcher(excluded);
        return below.matches() && (path + "/").startsWith(below.group(1) + "/");
    }

    /** Returns what is wrong, and what to write instead; empty if requests may match. */
    private static String hint(String path) {
        Matcher method = METHOD.matcher(path.strip());
        if (method.matches()) {
            return "begins with an HTTP method: write '%s' in methods and '%s' in paths"
                    .formatted(method.group(1).toUpperCase(Locale.ROOT), method.group(2));
        }
        Matcher url = URL.matcher(path);
        if (url.matches()) {
            return "is a URL: write its path alone, '%s'".formatted(url.group(1) == null ? "/" : url.group(1));
        }
        if (!path.equals(path.strip())) {
            return "begins or ends with a space: write '%s'".formatted(path.strip());
        }
        String regex = PathRegex.hint(path);
        if (!regex.isEmpty()) {
            return regex;
        }
        String literal = literal(path);
        if (PARAMETERS.matcher(literal).find()) {
            return "has a query or a parameter, which is not part of a path: write '%s'"
                    .formatted(PARAMETERS.matcher(path).replaceAll(""));
        }
        if (ESCAPE.matcher(literal).find()) {
            return "is matched after escapes are decoded: write '%s'"
                    .formatted(StringUtils.uriDecode(path, StandardCharsets.UTF_8));
        }
        return UNRESOLVED_SEGMENT.matcher(literal).find()
                ? "has an empty or dot segment, which servers resolve: write '%s'".formatted(resolved(path))
                : "";
    }

    /** Returns the path without the names and regular expressions of its variables. */
    static String literal(String path) {
        return VARIABLE.matcher(path).replaceAll("{}");
    }

    private static String resolved(String path) {
        return StringUtils.cleanPath("/" + path).replaceAll("//+", "/");
    }
}
