package io.ratelimit.test;

import io.ratelimit.spring.RateLimited;
import org.springframework.stereotype.Service;

interface Letters {

    @RateLimited(value = "exports", key = "#user")
    String send(String user);

    abstract class Printed {

        @RateLimited(value = "exports", key = "#user")
        public String print(String user) {
            return user;
        }

        public String fold(String user) {
            return user;
        }
    }

    @Service
    class OnPaper extends Printed implements Letters {

        @Override
        public String send(String user) {
            return user;
        }
    }
}
