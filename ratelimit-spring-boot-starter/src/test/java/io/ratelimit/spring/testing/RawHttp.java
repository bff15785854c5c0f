package io.ratelimit.spring.testing;

import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sends a request target as it is, where a client library would normalise or refuse it. */
final class RawHttp {

    private RawHttp() {}

    static Answer send(int port, String method, String target, String... headers) {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
        for (int i = 0; i < headers.length; i += 2) {
            request.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        request.append("Connection: close\r\n\r\n");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            return parsed(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException("no answer to " + target, failed);
        }
    }

    /** A body in chunks stays as it came. */
    private static Answer parsed(String answer) {
        int end = answer.indexOf("\r\n\r\n");
        List<String> head = answer.substring(0, end).lines().toList();
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String line : head.subList(1, head.size())) {
            int colon = line.indexOf(':');
            headers.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
                    .add(line.substring(colon + 1).trim());
        }
        return new Answer(
                Integer.parseInt(head.get(0).substring(9, 12)),
                HttpHeaders.of(headers, (name, value) -> true),
                answer.substring(end + 4));
    }
}
