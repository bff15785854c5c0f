package io.ratelimit.spring.hostile;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A response of HTTP/1.1, read as strictly as it is defined. */
record RawResponse(int status, List<Header> headers, String body) {

    record Header(String name, String value) {}

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([1-5]\\d\\d) ?[ -~]{0,80}");
    private static final Pattern HEADER = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~]*?)[ \t]*");
    private static final int LONGEST_LINE = 4_000;

    /** The next one; null where the server has closed the connection instead. */
    static RawResponse read(InputStream in, boolean withoutBody) throws IOException {
        String first = line(in);
        if (first == null) {
            return null;
        }
        int status = Integer.parseInt(match(STATUS, first).group(1));
        List<Header> headers = new ArrayList<>();
        for (String line = some(line(in)); !line.isEmpty(); line = some(line(in))) {
            Matcher header = match(HEADER, line);
            headers.add(new Header(header.group(1), header.group(2)));
        }
        RawResponse head = new RawResponse(status, List.copyOf(headers), "");
        boolean none = withoutBody || status == 204 || status == 304;
        return none ? head : new RawResponse(status, head.headers, head.body(in));
    }

    /** The value of the only header of that name; null if there is none. */
    String header(String name) {
        List<String> values = headers.stream()
                .filter(header -> header.name.equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
        if (values.size() > 1) {
            throw new AssertionError(name + " stands more than once: " + values);
        }
        return values.isEmpty() ? null : values.get(0);
    }

    boolean endsConnection() {
        return "close".equalsIgnoreCase(header("Connection"));
    }

    private String body(InputStream in) throws IOException {
        if ("chunked".equals(header("Transfer-Encoding"))) {
            return chunks(in);
        }
        String length = header("Content-Length");
        if (length == null && !endsConnection()) {
            throw new AssertionError("nothing says where the body ends: " + headers);
        }
        byte[] bytes = length == null ? in.readAllBytes() : in.readNBytes(Integer.parseInt(length));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int size;
        do {
            size = Integer.parseInt(some(line(in)), 16);
            body.write(in.readNBytes(size));
            if (!some(line(in)).isEmpty()) {
                throw new AssertionError("a chunk is longer than it says");
            }
        } while (size > 0);
        return body.toString(StandardCharsets.UTF_8);
    }

    private static Matcher match(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        if (!matcher.matches()) {
            throw new AssertionError("'" + line + "' is not as " + pattern);
        }
        return matcher;
    }

    private static String some(String line) throws EOFException {
        if (line == null) {
            throw new EOFException("the response ends in the middle");
        }
        return line;
    }

    /** Up to CR LF, which are the only CR and LF there may be; null at the end. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0 && line.isEmpty()) {
                return null;
            }
            if (next < 0 || next == '\n' || line.length() == LONGEST_LINE) {
                throw new AssertionError("a line does not end as it should: " + line);
            }
            line.append((char) next);
        }
        if (in.read() != '\n') {
            throw new AssertionError("a CR stands alone after: " + line);
        }
        return line.toString();
    }
}
