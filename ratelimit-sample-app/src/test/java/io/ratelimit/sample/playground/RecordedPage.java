package io.ratelimit.sample.playground;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The page and a saved run as one file that opens from disk: scripts and styles are inside it. */
final class RecordedPage {

    static final String NAME = "recorded.html";
    static final String RUN = "run.json";

    private static final Path STATIC = Path.of("src/main/resources/static");
    private static final String CHART = "classpath*:META-INF/resources/webjars/chart.js/*/dist/chart.umd.min.js";

    private RecordedPage() {}

    static String html(String savedRun) throws IOException {
        String run = savedRun.replace("<", "\\u003c");
        return replaced(
                Files.readString(STATIC.resolve("index.html")),
                "connect-src 'self' http://localhost:* http://127.0.0.1:*",
                "connect-src 'none'",
                "script-src 'self' 'unsafe-inline'",
                "script-src 'unsafe-inline' data:",
                "<link rel=\"stylesheet\" href=\"page/style.css\">",
                "<style>\n" + Files.readString(STATIC.resolve("page/style.css")) + "</style>",
                "{\"imports\": {\"playground/\": \"./page/\"}}",
                "{\"imports\": {" + modules() + "}}",
                "<script src=\"webjars/chart.js/dist/chart.umd.min.js\" defer></script>",
                "<script>" + chart() + "</script>",
                "<script type=\"module\" src=\"page/app.js\"></script>",
                "<script type=\"module\">import \"playground/app.js\";</script>",
                "</body>",
                "<script id=\"recorded-run\" type=\"application/json\">" + run + "</script>\n</body>");
    }

    /** A page from disk may not load modules from files, but from data URLs. */
    private static String modules() throws IOException {
        try (Stream<Path> files = Files.list(STATIC.resolve("page"))) {
            List<Path> scripts = files.filter(file -> file.toString().endsWith(".js"))
                    .sorted()
                    .toList();
            return scripts.stream().map(RecordedPage::module).collect(Collectors.joining(",\n"));
        }
    }

    private static String module(Path script) {
        try {
            return "\"playground/%s\": \"data:text/javascript;base64,%s\""
                    .formatted(script.getFileName(), Base64.getEncoder().encodeToString(Files.readAllBytes(script)));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String chart() throws IOException {
        return new PathMatchingResourcePatternResolver().getResources(CHART)[0].getContentAsString(UTF_8);
    }

    private static String replaced(String page, String... pairs) {
        String result = page;
        for (int i = 0; i < pairs.length; i += 2) {
            if (!result.contains(pairs[i])) {
                throw new IllegalStateException("index.html does not contain " + pairs[i]);
            }
            result = result.replace(pairs[i], pairs[i + 1]);
        }
        return result;
    }
}
