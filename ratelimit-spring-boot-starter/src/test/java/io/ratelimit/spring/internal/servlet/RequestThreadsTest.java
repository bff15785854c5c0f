package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The number of threads is that of the server that runs, whatever is configured of others. */
class RequestThreadsTest {

    private static final String TOMCAT = "org.apache.catalina.startup.Tomcat";
    private static final String JETTY = "org.eclipse.jetty.server.Server";
    private static final String UNDERTOW = "io.undertow.Undertow";

    private final MockEnvironment none = new MockEnvironment();
    private final MockEnvironment all = new MockEnvironment()
            .withProperty("server.tomcat.threads.max", "30")
            .withProperty("server.jetty.threads.max", "20")
            .withProperty("server.undertow.threads.io", "3");

    @Test
    void ofTheServerThatSpringBootTakes() {
        assertThat(most(all, TOMCAT, JETTY, UNDERTOW)).isEqualTo(30);
        assertThat(most(all, JETTY, UNDERTOW)).isEqualTo(20);
        assertThat(most(all, UNDERTOW)).isEqualTo(24);
        assertThat(most(all.withProperty("server.undertow.threads.worker", "10"), UNDERTOW))
                .isEqualTo(10);
    }

    @Test
    void byDefault() {
        assertThat(most(none.withProperty("server.jetty.threads.max", "4"), TOMCAT))
                .isEqualTo(200);
        assertThat(most(none.withProperty("server.tomcat.threads.max", "4"), JETTY))
                .isEqualTo(4);
        assertThat(most(all)).isEqualTo(200);
    }

    /** Tomcat's requests throw then. */
    @Test
    void aThreadThatGoesOnAfterTheAnswerIsNone() {
        MockHttpServletRequest request = new MockHttpServletRequest() {
            @Override
            public boolean isAsyncStarted() {
                if (!isActive()) {
                    throw new IllegalStateException("recycled");
                }
                return false;
            }
        };
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        try {
            assertThat(RequestThreads.isOne()).isTrue();
            request.close();
            assertThat(RequestThreads.isOne()).isFalse();
        } finally {
            RequestContextHolder.resetRequestAttributes();
        }
    }

    private static int most(MockEnvironment environment, String... present) {
        return RequestThreads.most(environment, List.of(present)::contains);
    }
}
