package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.eclipse.jetty.ReusedRequest;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.ServletRequestAttributes;

class RequestLifeTest {

    private final ReusedRequest request = new ReusedRequest();
    private final ServletRequestAttributes attributes = new ServletRequestAttributes(request);

    @Test
    void aRequestThatSpringHasFinishedWithGoesOnUntilItsConnectionHasTheNext() {
        assertThat(RequestLife.isOver(attributes)).isFalse();
        attributes.requestCompleted();
        assertThat(RequestLife.isOver(attributes)).isFalse();

        request.next("2");

        assertThat(RequestLife.isOver(attributes)).isTrue();
    }

    @Test
    void oneThatItsServerHasForgottenIsOver() {
        assertThat(RequestLife.isOver(attributes)).isFalse();

        request.next("");

        assertThat(RequestLife.isOver(attributes)).isTrue();
    }

    /** It may be the next one already. */
    @Test
    void oneThatIsSeenFirstWhenSpringHasFinishedWithItIsOverWhereRequestsAreReused() {
        attributes.requestCompleted();

        assertThat(RequestLife.isOver(attributes)).isTrue();
        assertThat(RequestLife.isOver(finished(new MockHttpServletRequest("GET", "/"))))
                .isFalse();
    }

    /** A worker of an asynchronous request has a copy of what the thread had that began it. */
    @Test
    void oneThatIsAsynchronousGoesOnWhenSpringHasFinishedWithItsThread() {
        request.setAsyncSupported(true);
        request.startAsync();
        attributes.requestCompleted();

        assertThat(RequestLife.isOver(attributes)).isFalse();
    }

    /** As a filter for hidden methods does. */
    @Test
    void aWrapperDoesNotAnswerForWhatItWraps() {
        HttpServletRequest put = new HttpServletRequestWrapper(request) {
            @Override
            public String getMethod() {
                return "PUT";
            }
        };
        request.next("");

        assertThat(RequestLife.isOver(new ServletRequestAttributes(put))).isTrue();
    }

    private static ServletRequestAttributes finished(HttpServletRequest request) {
        ServletRequestAttributes finished = new ServletRequestAttributes(request);
        finished.requestCompleted();
        return finished;
    }
}
