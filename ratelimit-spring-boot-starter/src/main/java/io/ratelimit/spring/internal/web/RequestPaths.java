package io.ratelimit.spring.internal.web;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.util.StringUtils;

/** The path of a request as routes see it. */
public final class RequestPaths {

    /** Options for a path that is decoded already. */
    public static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private RequestPaths() {}

    /**
     * Returns what the application may take for the request's path, below the base path, where no server has decoded it. WebFlux
     * matches its handlers with the path as sent, and finds static files by it decoded and normalised, without
     * parameters. So both count.
     */
    public static List<PathContainer> of(PathContainer sent) {
        StringBuilder decoded = new StringBuilder();
        for (PathContainer.Element element : sent.elements()) {
            decoded.append(element instanceof PathSegment segment ? segment.valueToMatch() : element.value());
        }
        return of(
                sent, SLASHES.matcher(StringUtils.cleanPath(decoded.toString())).replaceAll("/"));
    }

    /**
     * Returns the path as sent, as the server or the application has decoded it, and as that of a file: Spring serves {@code
     * /a.txt} for {@code /a.txt/}, too.
     */
    public static List<PathContainer> of(PathContainer sent, String decoded) {
        String file = file(decoded);
        List<PathContainer> paths = new ArrayList<>(List.of(sent));
        if (!decoded.equals(sent.value())) {
            paths.add(PathContainer.parsePath(decoded, DECODED));
        }
        if (!file.equals(sent.value()) && !file.equals(decoded)) {
            paths.add(PathContainer.parsePath(file, DECODED));
        }
        return paths;
    }

    /** Returns the one of these readings that all spellings of a path have in common. */
    public static String last(List<PathContainer> paths) {
        return paths.get(paths.size() - 1).value();
    }

    private static String file(String decoded) {
        if (!decoded.endsWith("/")) {
            return decoded;
        }
        String path = StringUtils.trimTrailingCharacter(decoded, '/');
        return path.lastIndexOf('.') > path.lastIndexOf('/') ? path : decoded;
    }
}
