package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/**
 * Who makes the request of this thread. Outside of Spring MVC the thread has the request as it was before Spring Security, which
 * knows nobody.
 */
final class Authenticated {

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", Authenticated.class.getClassLoader());

    private Authenticated() {}

    /** Returns null if nobody is authenticated. */
    static @Nullable Principal by(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        return principal != null || !SECURITY ? principal : Security.principal();
    }

    /** A class of its own, because Spring Security is optional. */
    private static final class Security {
        static @Nullable Principal principal() {
            Authentication known = SecurityContextHolder.getContext().getAuthentication();
            return known == null || !known.isAuthenticated() || known instanceof AnonymousAuthenticationToken
                    ? null
                    : known;
        }
    }
}
