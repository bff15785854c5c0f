package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RequestView;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} names every method of {@code #request}. */
class DocumentedRequestTest {

    @Test
    void theDocumentHasEveryMethod() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "configuration.md"));

        assertThat(RequestView.class.getMethods())
                .allSatisfy(method -> assertThat(document).contains(call(method)));
    }

    private static String call(Method method) {
        return Arrays.asList(method.getParameterTypes()).contains(String.class)
                ? "#request.%s('NAME')".formatted(method.getName())
                : "#request.%s()".formatted(method.getName());
    }
}
