package io.ratelimit.spring.hostile;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/** Sends bytes as they are. Keeps its connection as long as the server does. Not thread-safe. */
final class RawClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;
    private Socket socket;
    private InputStream in;

    RawClient(int port) {
        this.port = port;
    }

    /** One request, and its response; none where the server closed the connection without a word. */
    List<RawResponse> send(RawRequest request) throws IOException {
        if (socket == null) {
            connect();
        }
        RawResponse response = written(request) ? read(request.isHead()) : null;
        if (response == null || response.endsConnection()) {
            close();
        }
        return response == null ? List.of() : List.of(response);
    }

    /** What may be no request, or more than one: on a connection of its own, whatever comes back until its end. */
    List<RawResponse> sendAlone(RawRequest request) throws IOException {
        close();
        connect();
        List<RawResponse> responses = new ArrayList<>();
        if (written(request)) {
            socket.shutdownOutput();
            for (RawResponse next = read(request.isHead()); next != null; next = read(false)) {
                responses.add(next);
            }
        }
        close();
        return responses;
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }

    private void connect() throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Whether all of it could be sent: a server may refuse a request, and hang up, before it has read it. */
    private boolean written(RawRequest request) throws IOException {
        try {
            socket.getOutputStream().write(request.bytes());
            return true;
        } catch (SocketException hungUp) {
            return false;
        }
    }

    private RawResponse read(boolean withoutBody) throws IOException {
        try {
            return RawResponse.read(in, withoutBody);
        } catch (SocketException hungUp) {
            return null;
        }
    }
}
