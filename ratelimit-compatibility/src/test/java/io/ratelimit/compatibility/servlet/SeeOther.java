package io.ratelimit.compatibility.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Redirects in a way that Servlet 6.1 adds, and some servers send the response at once. */
@RestController
class SeeOther {

    @GetMapping({"/see-other", "/free/see-other"})
    void redirect(HttpServletResponse response) throws IOException {
        response.sendRedirect("/elsewhere", 303, true);
        response.getWriter().write("what comes after it is not sent");
    }
}
