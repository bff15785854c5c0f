package io.ratelimit.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Limited without a word here: by the route {@code orders} of the YAML. */
@RestController
class OrdersController {

    @GetMapping("/routes/orders")
    String orders() {
        return "orders";
    }
}
