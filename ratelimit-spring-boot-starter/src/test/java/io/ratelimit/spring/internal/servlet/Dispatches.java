package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

/** Endpoints of which the container dispatches a request more than once. */
@RestController
class Dispatches {

    private static final String OK = "ok";

    @GetMapping("/dispatch/async")
    Callable<String> async() {
        return () -> OK;
    }

    @GetMapping("/dispatch/forward")
    ModelAndView forward() {
        return new ModelAndView("forward:/dispatch/async");
    }

    @GetMapping("/dispatch/error")
    void error(HttpServletResponse response) throws IOException {
        response.sendError(418, "a teapot");
    }
}
