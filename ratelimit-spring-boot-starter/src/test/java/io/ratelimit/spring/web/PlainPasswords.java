package io.ratelimit.spring.web;

import org.springframework.security.crypto.password.PasswordEncoder;

/** Passwords as they are: Spring Security encodes others anew at the first log-in, and takes a tenth of a second for each check. */
final class PlainPasswords implements PasswordEncoder {

    @Override
    public String encode(CharSequence password) {
        return password.toString();
    }

    @Override
    public boolean matches(CharSequence password, String encoded) {
        return encoded.contentEquals(password);
    }
}
