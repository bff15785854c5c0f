package io.ratelimit.spring.hostile;

import static io.ratelimit.spring.hostile.HostileText.MARK;

import io.ratelimit.testing.SeededRandom;

/**
 * Makes malformed requests. What it leaves out is what ends as a 5xx, or without a head, with no limiter in between: of
 * Tomcat CONNECT, versions and transfer codings that there are not, and no target or the end of a line in it, which
 * makes it HTTP/0.9. Not thread-safe.
 */
final class HostileRequests {

    /** Whom the trusted proxy sees, as it writes them. */
    private static final String[] ATTACKERS = {
        "198.51.100.1", "198.51.100.2", "198.51.100.3:4711", "[2001:db8:bad::7]:443", "[2001:db8:bad::8]"
    };

    private static final String[] PATHS = {"header", "param", "cookie", "ip", "spel", "called", "priced"};

    private static final String[] METHODS = {
        "HEAD",
        "POST",
        "PUT",
        "OPTIONS",
        "PATCH",
        "DELETE",
        "TRACE",
        "PROPFIND",
        "get",
        MARK,
        "G{E}T",
        "G\0T",
        "\u00ff",
        "",
        "M".repeat(5_000)
    };

    private final SeededRandom random;
    private final HostileText text;

    HostileRequests(SeededRandom random) {
        this.random = random;
        this.text = new HostileText(random);
    }

    RawRequest next(boolean behindProxy) {
        String path = random.oneOf(PATHS);
        String headers = subjects() + (behindProxy ? forwardedByProxy() : forged()) + noise();
        boolean alone = isMoreThanHeaders(headers);
        // with ends of lines in it, the body would begin among the headers; and an argument may come from a body
        String body = random.oneIn(20) && !alone && !path.equals("called") ? body() : "";
        String method = !body.isEmpty() ? "POST" : random.oneIn(4) ? random.oneOf(METHODS) : "GET";
        return new RawRequest(
                method,
                method + " " + target(path) + " HTTP/1.1\r\nHost: localhost\r\n" + headers + length(body) + "\r\n"
                        + body,
                alone);
    }

    private static boolean isMoreThanHeaders(String headers) {
        String line = headers.replace("\r\n", "");
        return line.contains("\r")
                || line.contains("\n")
                || headers.contains(HostileText.FORGED)
                || headers.contains("\r\n\r\n");
    }

    private static String length(String body) {
        return body.isEmpty()
                ? ""
                : "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length() + "\r\n";
    }

    private String target(String path) {
        String target = random.oneIn(4) ? absurd(path) : "/" + path + "/x";
        return random.oneIn(3) ? target : target + "?" + query();
    }

    private String absurd(String path) {
        return random.oneOf(
                "/" + path + "/" + HostileText.encoded(text.subject()),
                "/" + path + "/" + text.subject(),
                "/" + path + "/x;a=%zz",
                "/" + path + "/..;/x",
                "/" + path + ";a=b/;/x",
                "/" + path + "/%2e%2e/" + MARK,
                "/" + path + "/../x",
                "/" + path + "//x/",
                "/" + path + "/{x}",
                "/" + path + "/%7Bx%7D",
                "/" + path + "/%",
                "/" + path + "/%zz",
                "/" + path + "/%00",
                "/" + path + "/%ff",
                "/" + path + "/%2f%5c",
                "/" + path + "/" + "a/".repeat(2_000),
                "/%" + Integer.toHexString(path.charAt(0)) + path.substring(1) + "/x",
                "//" + path + "/x",
                "/./" + path + "/x",
                "http://" + MARK + "/" + path + "/x",
                "http://{}/" + path,
                path + "/x",
                "*");
    }

    private String query() {
        String value = text.subject();
        return random.oneOf(
                "user=" + HostileText.encoded(value),
                "user=" + HostileText.encoded(value) + "&user=victim",
                "%75ser=" + HostileText.encoded(value),
                "user=" + value,
                "&&=&user=" + value + "&user=" + MARK, // which is read where the first is malformed
                "user",
                "us%65r=%",
                "user[]=victim&USER=victim");
    }

    private String subjects() {
        StringBuilder lines = new StringBuilder();
        if (!random.oneIn(4)) {
            lines.append("X-User: ").append(text.headerValue()).append("\r\n");
            if (random.oneIn(5)) {
                lines.append("X-User: victim\r\n");
            }
        }
        if (!random.oneIn(3)) {
            lines.append("Cookie: ").append(cookie()).append("\r\n");
        }
        if (random.oneIn(3)) {
            lines.append("X-Cost: ")
                    .append(random.oneOf("1", "-5", "99999999999", "NaN", text.subject()))
                    .append("\r\n");
        }
        return lines.append(random.oneIn(9) ? "X-Plan: " + text.headerValue() + "\r\n" : "")
                .toString();
    }

    private String cookie() {
        return random.oneOf(
                "user=" + MARK + random.between(0, 99_999),
                "user=" + text.subject(),
                "a=b; user=" + text.headerValue(),
                "user=\"" + MARK + random.between(0, 99_999) + "\"; user=" + MARK,
                ";;=; user; user==" + MARK + "; Path=/",
                "$Version=1; user=" + text.subject());
    }

    /** Whatever a client that nobody trusts writes. */
    private String forged() {
        if (random.oneIn(2)) {
            return "";
        }
        return "X-Forwarded-For: " + text.hops("") + "\r\nForwarded: " + text.hops("for=")
                + "\r\nX-Real-IP: 203.0.113.7\r\n";
    }

    /** What a client wrote, and behind it what a trusted proxy saw: in the same line, in one of its own, or in both headers. */
    private String forwardedByProxy() {
        String attacker = random.oneOf(ATTACKERS) + (random.oneIn(5) ? ", 10.0.0.5" : "");
        String element = "for=\"" + attacker.replace(", ", "\", for=\"") + '"';
        String bare = attacker.startsWith("[") ? element : "for=" + attacker.replace(", ", ", for=");
        String xForged = "X-Forwarded-For: " + text.hops("");
        String forged = "Forwarded: " + text.hops("for=");
        return random.oneOf(
                        xForged + ", " + attacker,
                        xForged + "\r\nX-Forwarded-For: " + attacker,
                        xForged + ", " + attacker + "\r\n" + forged,
                        forged + ", " + element,
                        forged + ", " + bare,
                        forged + "\r\nForwarded: " + element,
                        xForged + "\r\n" + forged + ", " + bare,
                        xForged + ", " + attacker + "\r\n" + forged + ", " + element)
                + "\r\n";
    }

    private String noise() {
        if (!random.oneIn(10)) {
            return "";
        }
        return random.oneOf(
                        "Origin: http://" + MARK,
                        "Origin: null\r\nAccess-Control-Request-Method: " + MARK,
                        "Accept: " + text.subject(),
                        "Accept-Language: " + text.subject(),
                        "RateLimit: \"header\";r=99;t=0",
                        "Range: bytes=0-" + MARK,
                        "If-None-Match: \"" + MARK + "\"",
                        "X-HTTP-Method-Override: " + MARK,
                        "no colon at all",
                        ": no name",
                        MARK + "\0: " + MARK)
                + "\r\n";
    }

    /** A form of the victim's: bodies are not read for a key. */
    private String body() {
        return "user=victim&x=" + (random.oneIn(50) ? "z".repeat(1 << 20) : MARK);
    }
}
