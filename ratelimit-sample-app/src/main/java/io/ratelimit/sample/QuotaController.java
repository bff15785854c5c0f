package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A day's quota for each API key, of which a search takes a hundred times as much as a list of videos. */
@RestController
@RequestMapping("/quota")
class QuotaController {

    @RateLimited(value = "daily", key = "header:X-Api-Key")
    @GetMapping("/videos")
    String videos() {
        return "videos";
    }

    @RateLimited(value = "daily", key = "header:X-Api-Key", cost = "100")
    @GetMapping("/search")
    String search() {
        return "search results";
    }
}
