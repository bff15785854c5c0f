package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.ShopController;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** However a path is spelt: what is answered is limited, and what the application would not match is not. */
class SpellingHttpTest {

    private static final String FILE = "org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    private static TestApp app;

    @Configuration(proxyBeanMethods = false)
    static class StaticFiles implements WebMvcConfigurer {

        @Override
        public void addResourceHandlers(ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/**").addResourceLocations("classpath:/META-INF/spring/");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @SuppressWarnings("deprecation") // what applications still switch on
    static class Lenient implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer configurer) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            configurer.setPatternParser(parser).setUseTrailingSlashMatch(true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @SuppressWarnings("deprecation") // what applications still switch on
    static class LenientAnt implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer configurer) {
            AntPathMatcher matcher = new AntPathMatcher();
            matcher.setCaseSensitive(false);
            configurer.setPathMatcher(matcher).setUseTrailingSlashMatch(true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutSlash {

        @Bean
        UrlHandlerFilter unordered() {
            return UrlHandlerFilter.trailingSlashHandler("/plain/**")
                    .wrapRequest()
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutSlashLast {

        @Bean
        FilterRegistrationBean<UrlHandlerFilter> last() {
            FilterRegistrationBean<UrlHandlerFilter> registration =
                    new FilterRegistrationBean<>(UrlHandlerFilter.trailingSlashHandler("/plain/**")
                            .wrapRequest()
                            .build());
            registration.setOrder(Integer.MAX_VALUE);
            return registration;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Served extends StaticFiles {}

    @RestController
    static class Tenants {

        @GetMapping({"/t/{tenant}/**", "/u/{tenant}/**"})
        String tenant(@PathVariable String tenant) {
            return tenant;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondDispatcher {

        @Bean
        ServletRegistrationBean<DispatcherServlet> second() {
            AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
            context.register(Served.class, Tenants.class);
            ServletRegistrationBean<DispatcherServlet> registration =
                    new ServletRegistrationBean<>(new DispatcherServlet(context), "/two/*");
            registration.setName("second");
            return registration;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ContextPath {

        @Bean
        FilterRegistrationBean<Filter> contextPath() {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(new BelowBase((HttpServletRequest) request), response));
            registration.setOrder(Integer.MAX_VALUE);
            return registration;
        }
    }

    private static final class BelowBase extends HttpServletRequestWrapper {

        BelowBase(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getContextPath() {
            return "/base";
        }

        @Override
        public String getServletPath() {
            return super.getServletPath().substring("/base".length());
        }
    }

    @BeforeAll
    static void start() {
        app = start(List.of(StaticFiles.class), "/legacy/**,/plain/x,/" + FILE);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/legacy/foo",
                "/x/../legacy/foo",
                "/./legacy/foo",
                "/%2e/legacy/foo",
                "/x/%2E%2e/legacy/foo",
                "/x/..;/legacy/foo",
                "/x/..;a=b/legacy/foo",
                "/legacy/../legacy/foo",
                "//legacy/foo",
                "/;a/legacy/foo",
                "/legacy;v=1/foo",
                "/legacy/;/foo",
                "/%6cegacy/foo",
                "/legacy",
                "/legacy/",
                "/legacy/foo;a=%zz"
            })
    void anotherServletIsLimitedHoweverItIsReached(String path) {
        assertLimited(app, path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/org.", "/./org.", "/%2e/org.", "/%6frg."})
    void aFileIsLimitedHoweverItIsReached(String path) {
        assertLimited(app, path + FILE.substring("org.".length()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "//", "/./", "/x/../", "/;a"})
    void aFileIsLimitedWithASlashBehindIt(String slash) {
        assertLimited(app, "/" + FILE + slash);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain/x", "/plain;v=1/x", "/plain/x;v=1", "/plain/%78", "/plain/x?a=b"})
    void aControllerIsLimitedHoweverItIsReached(String path) {
        assertLimited(app, path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain/x/", "/Plain/x", "/plain/X", "/plain/y"})
    void whatTheApplicationDoesNotTakeForThePathIsNotLimited(String path) {
        assertThat(app.raw("GET", path).header("RateLimit")).isNull();
    }

    @Test
    void aPreflightToAServletThatIsNotSpringMvcsIsARequest() {
        Answer answer = app.raw(
                "OPTIONS", "/legacy/foo", "Origin", "https://a.example", "Access-Control-Request-Method", "GET");

        assertThat(answer.header("RateLimit")).isNotNull();
    }

    @Test
    void theOptionsOfTheApplicationsOwnParserHold() {
        try (TestApp lenient = start(List.of(Lenient.class), "/plain/x")) {
            assertLimited(lenient, "/PLAIN/x");
            assertLimited(lenient, "/plain/x/");
        }
    }

    @Test
    void theOptionsOfAnAntMatcherHold() {
        try (TestApp lenient = start(List.of(LenientAnt.class), "/plain/x")) {
            assertLimited(lenient, "/PLAIN/x");
            assertLimited(lenient, "/plain/x/");
            assertLimited(lenient, "//plain/x");
        }
    }

    @Test
    void aFileThatAnAntMatcherFindsBehindWhiteSpaceIsLimited() {
        try (TestApp lenient = start(List.of(LenientAnt.class, StaticFiles.class), "/" + FILE)) {
            for (String before : List.of("/%20", "/%20/", "/%09//", "/%20%2e/", "/%20.;x/", "/%7f/")) {
                assertLimited(lenient, before + FILE);
            }
        }
    }

    /** Spring MVC does not encode the path for such a URL, which drops white space at its end and is decoded once more. */
    @Test
    void aFileWhoseUrlIsDecodedOnceMoreIsLimited(@TempDir Path folder) throws IOException {
        Files.createDirectory(folder.resolve("dir"));
        Files.writeString(folder.resolve("a.txt"), "a");
        Files.writeString(folder.resolve("dir/b.txt"), "b");
        Files.writeString(folder.resolve("LICENSE"), "c");
        try (TestApp files = TestApp.start(
                List.of(AtSettableTime.class),
                "spring.mvc.pathmatch.matching-strategy=ant_path_matcher",
                "spring.mvc.servlet.path=/sv",
                "spring.web.resources.static-locations=" + folder.toUri(),
                "rate-limiter.routes.all.paths=/a.txt,/dir/b.txt,/LICENSE",
                "rate-limiter.routes.all.max-requests=100")) {
            for (String path : List.of(
                    "/a.txt%20",
                    "/a.txt%20/",
                    "/a.txt%09/x/..//",
                    "/a.txt%0d%0a",
                    "/a.txt%252f",
                    "/%2561.txt",
                    "/a%252etxt",
                    "/LICENSE%20",
                    "/LICENSE%20/",
                    "/%254cICENSE",
                    "/dir%252fb.txt",
                    "/dir/%252e/b.txt%09")) {
                assertLimited(files, "/sv" + path);
            }
        }
    }

    @Test
    void aFileOfASecondDispatcherServletIsLimitedHoweverItIsReached() {
        try (TestApp two = start(List.of(SecondDispatcher.class), "/two/" + FILE)) {
            for (String end : List.of("", "/", "/./", "/x/../", ";a=b")) {
                assertLimited(two, "/two/" + FILE + end);
            }
        }
    }

    @Test
    void aVariableOfASecondDispatcherServletIsWhatItsHandlerGets() {
        try (TestApp two = startTenants(SecondDispatcher.class, "/two/t/{tenant}/**")) {
            assertThat(two.raw("GET", "/two/t/t1/y").body()).isEqualTo("t1");
            assertUsedUp(two, "/two/t/t1/../r1", "/two/t/t1/%2e%2e/r2", "/two/t/t1;a/..;/r3/z", "/two/t/t%31/y");
        }
    }

    @Test
    void aVariableIsWhatAHandlerOfAnAntMatcherGets() {
        try (TestApp ant = startTenants(
                Tenants.class, "/t/{tenant}/**", "spring.mvc.pathmatch.matching-strategy=ant_path_matcher")) {
            assertThat(ant.raw("GET", "/t/t1/y").body()).isEqualTo("t1");
            assertUsedUp(ant, "/t//t1/../r1", "//t/t1/../r2", "/t/;a/t1/../r3", "/;a/t/t1/../r4", "/t/t1/%2e%2e/r5");
        }
    }

    /** What the server calls the context path may then be a part of the path that no mapping begins with. */
    @Test
    void aVariableIsWhatAHandlerOfAnAntMatcherGetsBelowAContextPath() {
        try (TestApp ant = startTenants(
                Tenants.class,
                "/t/{tenant}/**",
                "spring.mvc.pathmatch.matching-strategy=ant_path_matcher",
                "server.servlet.context-path=/ctx")) {
            assertThat(ant.raw("GET", "/ctx/t/t1/y").body()).isEqualTo("t1");
            assertUsedUp(
                    ant, "/t/t1/../../ctx;/x", "/t/t1//../../ctx/x", "/t/t1/../..;/ctx/x", "/t/t1/../../ctx;x/t/r1/y");
        }
    }

    @Test
    void aVariableIsWhatAHandlerOfAnAntMatcherGetsBelowTheServletsPath() {
        try (TestApp ant = startTenants(
                Tenants.class,
                "/t/{tenant}/**",
                "spring.mvc.pathmatch.matching-strategy=ant_path_matcher",
                "server.servlet.context-path=/ctx",
                "spring.mvc.servlet.path=/mvc")) {
            assertThat(ant.raw("GET", "/ctx/mvc/t/t1/y").body()).isEqualTo("t1");
            assertUsedUp(ant, "/ctx;x/mvc/t/r1/../t1/y", "/x//../ctx/mvc/t/r2/../t1/y", "/ctx;x/mvc/t/./t1/y");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ant_path_matcher", "path_pattern_parser"})
    void aVariableIsWhatTheHandlerGetsByWhateverPattern(String strategy) {
        try (TestApp several = startTenants(
                Tenants.class,
                "/public/**,/t/{tenant}/**,/u/{tenant}/**",
                "spring.mvc.pathmatch.matching-strategy=" + strategy)) {
            assertThat(several.raw("GET", "/u/t1/y").body()).isEqualTo("t1");
            assertUsedUp(several, "/u/t1/../../t/r1", "/u/t1/..;//..;/t/r2", "/u/t1/../../public/x");
        }
    }

    @Test
    void aVariableOfAnotherServletIsWhatTheServerGivesIt() {
        try (TestApp other = startTenants(RoutePathHttpTest.OtherServlet.class, "/legacy/{tenant}/**")) {
            assertThat(other.raw("GET", "/legacy/t1/y").status()).isEqualTo(200);
            assertUsedUp(
                    other,
                    "/legacy/x/../t1/y",
                    "/legacy/x/%2e%2e/t1/y",
                    "/legacy/x/..;a/t1/y",
                    "/legacy/./t1/y",
                    "/legacy/t1;a/y");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithoutSlash.class, WithoutSlashLast.class})
    void aPathThatAFilterRewritesIsMatchedAsRewritten(Class<?> rewriting) {
        try (TestApp rewritten = start(List.of(rewriting), "/plain/x")) {
            assertLimited(rewritten, "/plain/x/");
            assertLimited(rewritten, "/plain/x");
        }
    }

    @Test
    void aPathThatIsRewrittenFromOneLimitedPathToAnotherCountsOnceForOneRoute() {
        try (TestApp rewritten = start(List.of(WithoutSlashLast.class), "/plain/**")) {
            assertThat(rewritten.get("/plain/x/").header("RateLimit")).startsWith("\"all\";r=99");
            assertThat(rewritten.get("/plain/x/").header("RateLimit")).startsWith("\"all\";r=98");
        }
    }

    @Test
    void aPathBelowAContextPathThatAFilterSetsIsMatchedBelowIt() {
        try (TestApp rewritten = start(List.of(ContextPath.class), "/plain/x")) {
            assertLimited(rewritten, "/base/plain/x");
        }
    }

    private static TestApp start(List<Class<?>> more, String paths) {
        List<Class<?>> configurations = new ArrayList<>(
                List.of(AtSettableTime.class, ShopController.class, RoutePathHttpTest.OtherServlet.class));
        configurations.addAll(more);
        return TestApp.start(
                configurations, "rate-limiter.routes.all.paths=" + paths, "rate-limiter.routes.all.max-requests=100");
    }

    /** With one request for each tenant. */
    private static TestApp startTenants(Class<?> configuration, String paths, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "rate-limiter.routes.all.paths=" + paths,
                "rate-limiter.routes.all.key=path:tenant",
                "rate-limiter.routes.all.max-requests=1"));
        properties.addAll(List.of(more));
        return TestApp.start(List.of(AtSettableTime.class, configuration), properties.toArray(String[]::new));
    }

    private static void assertUsedUp(TestApp app, String... paths) {
        for (String path : paths) {
            assertThat(app.raw("GET", path).status()).as(path).isEqualTo(429);
        }
    }

    /** Answered and limited: a request that is not answered need not be. */
    private static void assertLimited(TestApp app, String path) {
        Answer answer = app.raw("GET", path);
        assertThat(answer.status()).as(path).isEqualTo(200);
        assertThat(answer.header("RateLimit")).as(path).isNotNull();
    }
}
