package io.ratelimit.howto;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Configures the application of a test by the YAML of its page. */
final class PageYaml implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        HowTo page = TestContextAnnotationUtils.findMergedAnnotation(testClass, HowTo.class);
        return page == null ? null : new Yaml(page.value());
    }

    /** The blocks of one page, together. */
    private record Yaml(String page) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration config) {
            String yaml = String.join("\n---\n", Pages.blocks(Pages.named(page), "yaml"));
            load(page, yaml).forEach(context.getEnvironment().getPropertySources()::addFirst);
        }
    }

    static List<PropertySource<?>> load(String name, String yaml) {
        try {
            return new YamlPropertySourceLoader()
                    .load(name, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
