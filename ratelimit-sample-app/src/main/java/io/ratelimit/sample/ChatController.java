package io.ratelimit.sample;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Answers of which nobody knows the length before; the route {@code chat} counts their words in the end. */
@RestController
class ChatController {

    private static final int MOST_WORDS = 1_000;

    @GetMapping("/chat")
    ResponseEntity<String> answer(@RequestParam(defaultValue = "20") int words) {
        int said = Math.max(0, Math.min(words, MOST_WORDS));
        return ResponseEntity.ok()
                .header("X-Words", String.valueOf(said))
                .body("word ".repeat(said).trim());
    }
}
