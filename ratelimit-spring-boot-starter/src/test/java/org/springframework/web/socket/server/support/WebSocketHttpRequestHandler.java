package org.springframework.web.socket.server.support;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.HttpRequestHandler;

/** In the place of Spring's handler of WebSockets, whose library the tests do not have. */
public final class WebSocketHttpRequestHandler implements HttpRequestHandler {

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) {}
}
