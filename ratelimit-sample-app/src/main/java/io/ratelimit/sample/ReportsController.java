package io.ratelimit.sample;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Reports that take a while, of which the route {@code reports} admits two at a time. */
@RestController
class ReportsController {

    private static final int MOST_SECONDS = 60;

    @GetMapping("/reports")
    CompletableFuture<String> report(@RequestParam(defaultValue = "0") int seconds) {
        return CompletableFuture.supplyAsync(
                () -> "report", CompletableFuture.delayedExecutor(Math.min(seconds, MOST_SECONDS), TimeUnit.SECONDS));
    }
}
