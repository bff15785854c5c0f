package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.ShopController;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tomcat leaves the parameters of a path alone, so that a broken escape in one gets as far as the filter. */
class BrokenPathHttpTest {

    @Test
    void aBrokenEscapeInTheParameterOfAPathIsTheClientsFault() throws IOException {
        try (TestApp app = TestApp.start(
                List.of(AtSettableTime.class, ShopController.class),
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.max-requests=5")) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
                socket.getOutputStream()
                        .write("GET /plain/x;a=%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);

                assertThat(answer).startsWith("HTTP/1.1 400");
            }
        }
    }
}
