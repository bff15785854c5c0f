package io.ratelimit.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the devices of a user call; the route {@code devices} counts how many these are. */
@RestController
class SyncController {

    @GetMapping("/sync")
    String sync() {
        return "synchronized";
    }
}
