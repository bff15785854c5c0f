package io.ratelimit.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Customizes tests with {@link AutoConfigureTestRateLimiter} and slices. Spring finds it in spring.factories. */
final class TestRateLimiterCustomizerFactory implements ContextCustomizerFactory {

    /** What slices of every Spring Boot line have in common. */
    private static final String SLICE = "org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration";

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        MergedAnnotations annotations = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
                .withEnclosingClasses(TestContextAnnotationUtils::searchEnclosingClass)
                .from(testClass);
        return annotations.isPresent(AutoConfigureTestRateLimiter.class) || annotations.isPresent(SLICE)
                ? new TestRateLimiterCustomizer()
                : null;
    }
}
