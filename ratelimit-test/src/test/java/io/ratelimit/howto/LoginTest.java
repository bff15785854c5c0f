package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@HowTo("login")
@Import({LoginTest.LoginController.class, LoginTest.ApiController.class})
class LoginTest {

    @RestController
    static class LoginController {

        private final RateLimiter limiter;
        private final Limit login;
        private final AuthenticationManager authentication = LoginController::authenticated;

        LoginController(RateLimiter limiter, @Qualifier("login") Limit login) {
            this.limiter = limiter;
            this.login = login;
        }

        record Credentials(String username, String password) {}

        @RateLimited(value = "login", key = "#body.username?.strip()?.toLowerCase()")
        @PostMapping("/login")
        String logIn(@RequestBody Credentials body) {
            return authentication
                    .authenticate(UsernamePasswordAuthenticationToken.unauthenticated(body.username(), body.password()))
                    .getName();
        }

        /** As Spring Security's filters answer it. */
        @ExceptionHandler(BadCredentialsException.class)
        @ResponseStatus(HttpStatus.UNAUTHORIZED)
        void wrongPassword() {}

        @PostMapping("/login/form")
        ResponseEntity<String> logIn(@RequestParam String username, @RequestParam String password) {
            Acquisition attempt = Acquisition.of(login, username.strip().toLowerCase(Locale.ROOT));
            Decision decision = limiter.acquire(attempt);
            if (!decision.allowed()) {
                throw new RateLimitExceededException(decision);
            }
            if (!isRight(username, password)) {
                return ResponseEntity.status(401).build();
            }
            limiter.refund(attempt, decision);
            return ResponseEntity.ok("welcome");
        }

        private static Authentication authenticated(Authentication attempt) {
            if (!isRight(attempt.getName(), String.valueOf(attempt.getCredentials()))) {
                throw new BadCredentialsException("wrong");
            }
            return attempt;
        }

        private static boolean isRight(String username, String password) {
            return password.equals("right for " + username);
        }
    }

    @RestController
    static class ApiController {

        @GetMapping("/api")
        ResponseEntity<Void> answer(@RequestParam int status) {
            return ResponseEntity.status(status).build();
        }

        @RateLimited(value = "guesses", key = "#username.strip().toLowerCase() + '|' + #request.clientAddress()")
        @PostMapping("/login/token")
        ResponseEntity<String> token(@RequestParam String username, @RequestParam String password) {
            return ResponseEntity.status(password.equals("right for " + username) ? 200 : 401)
                    .build();
        }
    }

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void fiveWrongPasswordsInABodyAreAllThatAUserHasAndRightOnesAreFree() throws Exception {
        for (int i = 0; i < 10; i++) {
            json("bob", "right for bob").andExpect(status().isOk());
        }
        for (int i = 0; i < 5; i++) {
            json("alice", "wrong").andExpectAll(isNotRateLimited(), status().isUnauthorized());
        }
        json("alice", "right for alice").andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(15)));
        json("bob", "right for bob").andExpect(status().isOk());
        clock.advance(Duration.ofMinutes(15));
        json("alice", "right for alice").andExpect(status().isOk());
    }

    @Test
    void fiveWrongPasswordsAreAllThatAUserHas() throws Exception {
        for (int i = 0; i < 5; i++) {
            logIn("alice", "wrong").andExpectAll(isNotRateLimited(), status().isUnauthorized());
        }
        logIn("alice", "right for alice").andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(15)));
        clock.advance(Duration.ofMinutes(15));
        logIn("alice", "right for alice").andExpect(status().isOk());
    }

    @Test
    void allSpellingsOfANameAreOneUser() throws Exception {
        for (String spelling : List.of("carol", "Carol", " carol", "CAROL ", "cAROL")) {
            json(spelling, "wrong").andExpect(isNotRateLimited());
        }
        json("carol", "right for carol").andExpect(isRateLimited());

        for (String spelling : List.of("dave", "Dave", " dave", "DAVE ", "dAVE")) {
            logIn(spelling, "wrong").andExpect(isNotRateLimited());
        }
        logIn("dave", "right for dave").andExpect(isRateLimited());

        for (String spelling : List.of("erin", "Erin", " erin", "ERIN ", "eRIN")) {
            token("203.0.113.8", spelling, "wrong").andExpect(isNotRateLimited());
        }
        token("203.0.113.8", "erin", "right for erin").andExpect(isRateLimited());
    }

    @Test
    void rightPasswordsAreFree() throws Exception {
        for (int i = 0; i < 10; i++) {
            logIn("bob", "right for bob").andExpect(status().isOk());
        }
    }

    @Test
    void oneAddressCannotTryManyUsers() throws Exception {
        for (int i = 0; i < 20; i++) {
            logIn("user" + i, "wrong").andExpect(isNotRateLimited());
        }
        logIn("another", "wrong").andExpect(isRateLimited());
    }

    @Test
    void theFifthWrongPasswordBansAndTheNextFiveBanForLonger() throws Exception {
        for (int i = 0; i < 30; i++) {
            api(404).andExpect(isNotRateLimited());
            mvc.perform(get("/api").param("status", "401")).andExpect(isNotRateLimited()); // without a password
        }
        for (Duration ban : List.of(Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofDays(1))) {
            for (int i = 0; i < 5; i++) {
                api(401).andExpect(isNotRateLimited());
            }
            api(200).andExpectAll(isRateLimited(), retryAfter(ban));
            clock.advance(ban);
        }
        api(200).andExpect(isNotRateLimited());
    }

    @Test
    void anAttackerBansNoUserAtAnotherAddress() throws Exception {
        for (int i = 0; i < 5; i++) {
            token("203.0.113.7", "alice", "a guess").andExpect(isNotRateLimited());
        }
        token("203.0.113.7", "alice", "right for alice").andExpect(isRateLimited());
        token("203.0.113.7", "bob", "right for bob").andExpect(status().isOk());
        token("198.51.100.2", "alice", "right for alice").andExpect(status().isOk());
    }

    private ResultActions token(String address, String username, String password) throws Exception {
        return mvc.perform(post("/login/token")
                .with(request -> {
                    request.setRemoteAddr(address);
                    return request;
                })
                .param("username", username)
                .param("password", password));
    }

    private ResultActions api(int status) throws Exception {
        return mvc.perform(
                get("/api").param("status", String.valueOf(status)).header("Authorization", "Basic YWxpY2U6eA=="));
    }

    private ResultActions json(String username, String password) throws Exception {
        return mvc.perform(post("/login")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"username\":\"%s\",\"password\":\"%s\"}".formatted(username, password)));
    }

    private ResultActions logIn(String username, String password) throws Exception {
        return mvc.perform(post("/login/form").param("username", username).param("password", password));
    }
}
