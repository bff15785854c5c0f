package io.ratelimit.sample;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A log-in of which the route {@code login} counts the failures. A real one takes the password from the body. */
@RestController
class LoginController {

    @PostMapping("/login")
    ResponseEntity<String> logIn(@RequestParam String user, @RequestParam String password) {
        return password.equals("secret")
                ? ResponseEntity.ok("welcome")
                : ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong password");
    }
}
