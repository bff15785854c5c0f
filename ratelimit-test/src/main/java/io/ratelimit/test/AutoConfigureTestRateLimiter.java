package io.ratelimit.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a test set the time of its limits. The application counts in memory instead of Redis, by a {@link TestClock} that
 * moves only when the test moves it, and every test method starts with nothing counted. Slices such as {@code
 * @WebMvcTest} and {@code @WebFluxTest} have this without the annotation.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureMockMvc
 * @AutoConfigureTestRateLimiter
 * class LoginTest {
 *
 *     @Test
 *     void theSixthAttemptWaits(@Autowired MockMvc mvc, @Autowired TestClock clock) throws Exception {
 *         for (int i = 0; i < 5; i++) {
 *             mvc.perform(post("/login")).andExpect(isNotRateLimited());
 *         }
 *         mvc.perform(post("/login")).andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(15)));
 *         clock.advance(Duration.ofMinutes(15));
 *         mvc.perform(post("/login")).andExpect(isNotRateLimited());
 *     }
 * }
 * }</pre>
 *
 * <p>An application with its own {@link io.ratelimit.RateLimiter} bean keeps it, and its clock. Test methods of one
 * application that run at the same time share its counts and its clock.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface AutoConfigureTestRateLimiter {}
