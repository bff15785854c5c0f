package io.ratelimit.spring.internal.rule;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Recognises regular expressions, and several paths in one text, where a path pattern belongs. Both are valid patterns that
 * match nearly nothing. A last segment such as {@code report.*} is left alone, because it matches {@code report.pdf}.
 */
final class PathRegex {

    /** Anchors, escapes, classes, alternatives, groups, and any text as a whole segment or before another one. */
    private static final Pattern SIGN =
            Pattern.compile("^\\^|\\$$|[\\\\|\\[\\]]|\\((?:\\?|/|\\.[*+])|(?:^|/)\\.[*+](?=/|$)|\\.[*+]/");

    private static final Pattern SEPARATOR = Pattern.compile("\\s*[,;|\\s]\\s*(?=\\^?/)");
    private static final Pattern ANCHOR = Pattern.compile("^\\^|/?\\??\\$$");
    private static final Pattern REST = Pattern.compile("\\(/\\.\\*\\)\\??$");
    private static final Pattern ONE_SEGMENT = Pattern.compile("\\(?\\[\\^/][*+]\\)?");
    private static final Pattern TEXT = Pattern.compile("\\.[*+]");
    private static final Pattern ANY_TEXT = Pattern.compile("\\(?\\.[*+]\\)?");
    private static final Pattern GROUP = Pattern.compile("\\(([^()]*)\\)");
    private static final Pattern ESCAPED_SIGN = Pattern.compile("\\\\([^A-Za-z0-9])");

    private PathRegex() {}

    /** Returns what is wrong, and what to write instead; empty if it is neither of both. */
    static String hint(String path) {
        List<String> paths = SEPARATOR.splitAsStream(path).toList();
        if (paths.size() == 1 && !isRegex(path)) {
            return "";
        }
        List<String> patterns = paths.stream().map(PathRegex::pattern).toList();
        if (!patterns.stream().allMatch(PathRegex::isPattern)) {
            return "is a regular expression: write a path pattern, in which * is a segment, ** all that follow, and"
                    + " {name:[a-z]+} a segment of that regular expression";
        }
        String meant = patterns.stream().collect(Collectors.joining("' and '", "'", "'"));
        return patterns.size() == 1
                ? "is a regular expression: write the path pattern " + meant
                : "holds several paths: write each as an element of its own, " + meant;
    }

    private static boolean isRegex(String path) {
        return SIGN.matcher(RoutePattern.literal(path)).find();
    }

    private static boolean isPattern(String path) {
        try {
            PathPatternParser.defaultInstance.parse(path);
            return !isRegex(path);
        } catch (PatternParseException unparsable) {
            return false;
        }
    }

    /** Leaves any text before the first slash as it is, because no pattern begins with any number of segments. */
    private static String pattern(String regex) {
        if (!isRegex(regex)) {
            return regex;
        }
        String path = REST.matcher(ANCHOR.matcher(regex).replaceAll("")).replaceFirst("/.*");
        String[] segments = ONE_SEGMENT.matcher(path).replaceAll("*").split("/", -1);
        int last = segments.length - 1;
        String pattern = IntStream.rangeClosed(0, last)
                .mapToObj(i -> segment(segments[i], i == last ? "**" : i == 0 ? segments[i] : "*"))
                .collect(Collectors.joining("/"));
        return pattern.startsWith("/") ? pattern : "/" + pattern;
    }

    private static String segment(String regex, String anyText) {
        if (ANY_TEXT.matcher(regex).matches()) {
            return anyText;
        }
        String text = ESCAPED_SIGN.matcher(regex).replaceAll("$1");
        if (!isRegex(text) && !TEXT.matcher(regex).find()) {
            return text;
        }
        Matcher group = GROUP.matcher(regex);
        return "{name:" + (group.matches() ? group.group(1) : regex.replaceAll("\\((?!\\?)", "(?:")) + "}";
    }
}
