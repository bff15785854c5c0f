package io.ratelimit.spring.internal.web;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;

/** The path of a request as routes see it. */
public final class RequestPaths {

    /** Options for a path that is decoded already. */
    public static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

    /** A handler without a path of its own answers the root, with or without a slash. */
    private static final PathContainer ROOT = PathContainer.parsePath("/");

    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private static final Pattern EQUIVOCAL = Pattern.compile("[%;]|//|/\\.");

    /** What Spring skips in front of the name of a file: slashes, white space and control characters. */
    private static final Pattern SKIPPED = Pattern.compile("/[/\\x00-\\x20\\x7F]+");

    /** Ends of paths that Spring or URLs ignore. */
    private static final Pattern IGNORED = Pattern.compile("[/\\x00-\\x20]+\\z");

    private RequestPaths() {}

    /**
     * Returns what the application may take for the request's path, below the base path, where no server has decoded it. WebFlux
     * matches its handlers with the path as sent, and finds static files by it decoded and normalised, without
     * parameters. So both count.
     */
    public static List<PathContainer> of(PathContainer sent) {
        return of(sent, normalized(decoded(sent)));
    }

    /**
     * Returns the path as sent, as an Ant matcher reads that (decoded, with single slashes and with dot segments), as the server or the
     * application has decoded it, and as that of a file: Spring serves {@code /a.txt} for {@code /a.txt/} and {@code / a.txt}, too,
     * and decodes what a server has left encoded. Some of its {@code file:} URLs are decoded once more.
     */
    public static List<PathContainer> of(PathContainer sent, String decoded) {
        if (isPlain(decoded) && decoded.equals(sent.value())) {
            return decoded.isEmpty() ? List.of(sent, ROOT) : List.of(sent);
        }
        String unresolved = decoded(sent);
        Set<String> others = new LinkedHashSet<>(Arrays.asList(singleSlashes(unresolved), decoded, file(decoded)));
        if (isEncoded(sent.value())) {
            others.add(file(unresolved));
        }
        if (decoded.indexOf('%') >= 0) {
            others.add(file(decodedOnceMore(decoded)));
        }
        others.remove(sent.value());
        List<PathContainer> paths = new ArrayList<>(List.of(sent));
        others.forEach(other -> paths.add(PathContainer.parsePath(other, DECODED)));
        return paths;
    }

    /**
     * Returns what another servlet than Spring MVC's own may take for the request's path, first what variables are of: that is what the
     * server gives the servlet (Undertow gives it dot segments, too), but the path as sent for a second one of Spring MVC's.
     */
    public static List<PathContainer> ofServlet(PathContainer sent, String decoded, boolean isSpringMvc) {
        Stream<PathContainer> spring = of(sent, decoded).stream();
        Stream<PathContainer> server = Stream.of(decoded, normalized(decoded), normalized(decoded(sent)))
                .distinct()
                .map(path -> PathContainer.parsePath(path, DECODED));
        return (isSpringMvc ? Stream.concat(spring, server) : Stream.concat(server, spring)).toList();
    }

    /** Returns these readings with another one in front of them, which is decoded. */
    public static List<PathContainer> withFirst(String decoded, List<PathContainer> others) {
        return others.get(0).value().equals(decoded)
                ? others
                : Stream.concat(Stream.of(PathContainer.parsePath(decoded, DECODED)), others.stream())
                        .toList();
    }

    /** True if the application may read this path in one way only: without escapes, parameters, empty segments and dots behind a slash. */
    public static boolean isUnequivocal(String sent) {
        return !EQUIVOCAL.matcher(sent).find();
    }

    /** Returns the one of these readings that all spellings of a path have in common. */
    public static String last(List<PathContainer> paths) {
        return paths.get(paths.size() - 1).value();
    }

    /** True if there is one reading: letters, digits, '-' and '_' between single slashes, as in nearly all requests. */
    private static boolean isPlain(String path) {
        boolean afterSlash = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean slash = c == '/';
            if (slash ? afterSlash : !isPlain(c)) {
                return false;
            }
            afterSlash = slash;
        }
        return !afterSlash;
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }

    private static boolean isEncoded(String sent) {
        return sent.indexOf('%') >= 0 || sent.indexOf(';') >= 0;
    }

    private static String decoded(PathContainer sent) {
        StringBuilder decoded = new StringBuilder();
        for (PathContainer.Element element : sent.elements()) {
            decoded.append(element instanceof PathSegment segment ? segment.valueToMatch() : element.value());
        }
        return decoded.toString();
    }

    /** Without dot segments and empty ones. Not all servers resolve them: Undertow does not. */
    private static String normalized(String decoded) {
        return singleSlashes(StringUtils.cleanPath(decoded));
    }

    private static String singleSlashes(String path) {
        return SLASHES.matcher(path).replaceAll("/");
    }

    private static String decodedOnceMore(String decoded) {
        try {
            return UriUtils.decode(decoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noEscape) {
            return decoded;
        }
    }

    private static String file(String decoded) {
        String path = normalized(SKIPPED.matcher(normalized(decoded.trim())).replaceAll("/")); // URLs are trimmed, too
        String file = IGNORED.matcher(path).replaceFirst("");
        boolean isFolder = file.lastIndexOf('.') <= file.lastIndexOf('/') && path.equals(file + '/');
        return isFolder ? path : file;
    }
}
