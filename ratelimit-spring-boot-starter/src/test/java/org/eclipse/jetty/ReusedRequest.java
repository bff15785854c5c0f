package org.eclipse.jetty;

import org.springframework.mock.web.MockHttpServletRequest;

/** Answers from the next request of its connection once there is one, and fails while there is none, as Jetty's do. */
public final class ReusedRequest extends MockHttpServletRequest {

    private String id = "1";

    public void next(String next) {
        id = next;
    }

    @Override
    public String getMethod() {
        return id.isEmpty() ? id.substring(1) : "GET";
    }

    @Override
    public String getRequestId() {
        return id;
    }
}
