package io.ratelimit.spring.http;

import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.util.StringUtils;

/** The path of a request as routes see it, where no server has decoded it. */
public final class RequestPaths {

    /** Of a path that is decoded already. */
    private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private RequestPaths() {}

    /**
     * What the application may take for the request's path, below the base path. WebFlux matches its handlers with the
     * path as sent, and finds static files by it decoded and normalised, without parameters. So both count.
     */
    public static List<PathContainer> of(PathContainer sent) {
        StringBuilder decoded = new StringBuilder();
        for (PathContainer.Element element : sent.elements()) {
            decoded.append(element instanceof PathSegment segment ? segment.valueToMatch() : element.value());
        }
        String served =
                SLASHES.matcher(StringUtils.cleanPath(decoded.toString())).replaceAll("/");
        return sent.value().equals(served) ? List.of(sent) : List.of(sent, PathContainer.parsePath(served, DECODED));
    }
}
