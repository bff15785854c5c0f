package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.samples.Clinic;
import org.springframework.samples.Ward;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Mono;

/** Every annotation takes effect, or stops the start; and what is not meant is not limited. */
class TakesEffectTest {

    interface Callable {
        void call();
    }

    static class FinalMethodOfAnInterface implements Callable {
        @Override
        @RateLimited(maxRequests = "1")
        public final void call() {}
    }

    @RateLimited(maxRequests = "1")
    static class FinalMethodOfAnAnnotatedClass {
        public void other() {}

        public final void call() {}
    }

    static final class FinalClass implements Callable {
        @Override
        @RateLimited(maxRequests = "1")
        public void call() {}
    }

    static class OfAnotherPackage extends Ward {}

    static class OpenedInAnotherPackage extends Ward.Open {}

    static class WithFinalMethod {
        public final void inherited() {}
    }

    interface Inherited {
        @RateLimited(maxRequests = "1")
        void inherited();
    }

    static class InheritsTheFinalMethodOfAnInterface extends WithFinalMethod implements Inherited {}

    interface WithStaticMethod {
        @RateLimited(maxRequests = "1")
        static void call() {}
    }

    interface WithPrivateMethod {
        @RateLimited(maxRequests = "1")
        private void call() {}

        default void callIt() {
            call();
        }
    }

    static class BelowStaticMethod implements WithStaticMethod {}

    static class BelowPrivateMethod implements WithPrivateMethod {}

    @RateLimited(name = "made", maxRequests = "1", key = "global")
    @Configuration
    static class MakesBeans {
        @Bean
        public String one() {
            return "one";
        }

        @Bean
        public String two() {
            return "two";
        }

        public void call() {}
    }

    @RateLimited(maxRequests = "1")
    @Configuration
    static class MakesBeansAlone {
        @Bean
        public String one() {
            return "one";
        }
    }

    @RateLimited(maxRequests = "1")
    static class InheritsAFinalMethod extends WithFinalMethod {
        public void call() {}

        @Override
        public String toString() {
            return "text";
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other == this;
        }
    }

    static class Plain implements Callable {
        @Override
        @RateLimited(maxRequests = "1")
        public void call() {}
    }

    static class NeedsItEarly implements BeanPostProcessor, PriorityOrdered {
        NeedsItEarly(Plain plain) {}

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Early {
        @Bean
        static NeedsItEarly needsItEarly(Plain plain) {
            return new NeedsItEarly(plain);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BeforeAllBeans {
        @Bean
        static BeanFactoryPostProcessor needsItFirst() {
            return beans -> beans.getBean(Plain.class).call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BeforeAllDefinitions {
        @Bean
        static BeanDefinitionRegistryPostProcessor needsItToDefineOthers(Plain plain) {
            return definitions -> plain.call();
        }
    }

    static class LimitedAdvisor extends DefaultPointcutAdvisor {
        private static final long serialVersionUID = 1L;

        @RateLimited(maxRequests = "1")
        public void call() {}
    }

    @Controller
    @RateLimited(maxRequests = "1")
    static class Pages {
        @ModelAttribute
        public void model() {}

        @ExceptionHandler
        public void handle(IllegalStateException failure) {}

        public void helper() {}

        @GetMapping("/page")
        public void page() {}

        @GetMapping("/own")
        void own() {}

        @GetMapping("/above")
        protected void above() {}
    }

    @Controller
    @RateLimited(maxRequests = "1")
    static class PrivatePage {
        @GetMapping("/hidden")
        @SuppressWarnings("UnusedMethod")
        private void call() {}
    }

    @Controller
    @RateLimited(maxRequests = "1")
    static class StaticPage {
        @GetMapping("/static")
        public static void call() {}

        @GetMapping("/page")
        public void page() {}
    }

    static class HiddenPageAbove {
        @GetMapping("/hidden")
        @SuppressWarnings("UnusedMethod")
        private void call() {}
    }

    @Controller
    @RateLimited(maxRequests = "1")
    static class InheritsAHiddenPage extends HiddenPageAbove {
        @GetMapping("/page")
        public void page() {}
    }

    static class FinalPageAbove {
        public final void setUp() {}

        @GetMapping("/final")
        public final void call() {}
    }

    @Controller
    @RateLimited(maxRequests = "1")
    static class InheritsAFinalPage extends FinalPageAbove {
        @GetMapping("/page")
        public void page() {}
    }

    @RateLimited(maxRequests = "1")
    static class OnlyInherited extends WithFinalMethod {}

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(maxRequests = "1")
    @interface Expensive {}

    @Expensive
    static class NothingPublicEither {
        void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class HandingOver {}

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class Retrying {}

    static class HandedOverAndRepeated {
        @Async
        @Retryable
        @RateLimited(maxRequests = "1", count = "failures", key = "global")
        public void call() {}
    }

    static class HandedOver {
        @Async
        @RateLimited(maxRequests = "1", count = "failures", key = "global")
        public void call() {}
    }

    static class HandedOverAndAnswered {
        @Async
        @RateLimited(maxRequests = "1", count = "failures", key = "global")
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("called");
        }
    }

    static class HandedOverAndCharged {
        @Async
        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    @RateLimited(maxRequests = "1")
    static class NothingPublic {
        void call() {}
    }

    static class PublicBelow extends NothingPublic {
        public void other() {}
    }

    /** Needs a bean that is limited itself, by what it resolves. */
    static class Resolver implements KeyResolver {
        Resolver(ByResolver dependency) {}

        @Override
        public String resolve(RequestView request) {
            return "tenant";
        }
    }

    static class ByResolver {
        @RateLimited(maxRequests = "1", key = "resolver")
        public void call() {}
    }

    private final ApplicationContextRunner contexts = Contexts.plain().withUserConfiguration(AtSettableTime.class);

    @ParameterizedTest
    @ValueSource(classes = {FinalMethodOfAnInterface.class, FinalMethodOfAnAnnotatedClass.class, FinalClass.class})
    void whatProxiesCannotOverrideEndsTheStart(Class<?> type) {
        contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(type)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + type.getName() + ".call")
                        .contains("'final'"));
    }

    @Test
    void aPackagePrivateMethodOfAnotherPackageEndsTheStart() {
        contexts.withBean(OfAnotherPackage.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + OfAnotherPackage.class.getName() + ".visit")
                        .contains("a package-private method of another package"));
    }

    @Test
    void aPackagePrivateMethodThatAPublicOneOverridesIsLimited() {
        contexts.withBean(OpenedInAnotherPackage.class)
                .run(context -> once(context.getBean(OpenedInAnotherPackage.class)::visit));
    }

    @Test
    void whatProxiesCannotOverrideIsNeverMadeAlsoIfTheStartDoesNotKnowItsClass() {
        contexts.withBean(
                        Callable.class,
                        FinalMethodOfAnInterface::new,
                        definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    for (int i = 0; i < 3; i++) {
                        assertThatExceptionOfType(BeanCreationException.class)
                                .isThrownBy(() -> context.getBean(Callable.class))
                                .withMessageContaining("'final'");
                    }
                });
    }

    @Test
    void applicationsWhosePackageBeginsLikeSpringsOwnAreCheckedToo() {
        contexts.withUserConfiguration(Clinic.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on org.springframework.samples.Clinic.visit")
                        .contains("'unknown'"));
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalMethodOfAnInterface.class, FinalClass.class})
    void aProxyOfInterfacesReachesFinalMethods(Class<? extends Callable> type) {
        contexts.withBean(type)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> once(context.getBean(Callable.class)::call));
    }

    @Test
    void onAClassItMeansNeitherInheritedFinalMethodsNorThoseOfObject() {
        contexts.withBean(InheritsAFinalMethod.class).run(context -> {
            InheritsAFinalMethod bean = context.getBean(InheritsAFinalMethod.class);
            for (int i = 0; i < 3; i++) {
                bean.inherited();
                assertThat(bean).hasToString("text").hasSameHashCodeAs(bean).isEqualTo(bean);
            }
            once(bean::call);
        });
    }

    @Test
    void onAControllerItMeansTheMappedMethods() {
        contexts.withBean(Pages.class).run(context -> {
            Pages pages = context.getBean(Pages.class);
            for (int i = 0; i < 3; i++) {
                pages.model();
                pages.handle(new IllegalStateException());
                pages.helper();
            }
            once(pages::page);
            once(pages::own);
            once(pages::above);
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {PrivatePage.class, StaticPage.class, InheritsAHiddenPage.class, InheritsAFinalPage.class})
    void aMethodThatRequestsAreMappedToAndProxiesCannotOverrideEndsTheStart(Class<?> type) {
        contexts.withBean(type)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-304: @RateLimited on " + type.getName() + ".call")
                        .contains("is out of reach of Spring's proxies"));
    }

    @ParameterizedTest
    @ValueSource(classes = {NothingPublic.class, OnlyInherited.class, NothingPublicEither.class, MakesBeansAlone.class})
    void onAClassWhoseMethodsItDoesNotMeanItEndsTheStart(Class<?> type) {
        contexts.withBean(type)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-304: @RateLimited on " + type.getName())
                        .contains("limits no method: make public what it is to limit"));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {InheritsTheFinalMethodOfAnInterface.class, BelowStaticMethod.class, BelowPrivateMethod.class})
    void aMethodOfAnInterfaceThatProxiesCannotReachEndsTheStart(Class<?> type) {
        contexts.withBean(type)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-304: @RateLimited on " + getClass().getName())
                        .contains("is out of reach of Spring's proxies"));
    }

    @Test
    void beansThatAnAnnotatedClassMakesAreNotCounted() {
        contexts.withBean(MakesBeans.class).run(context -> once(context.getBean(MakesBeans.class)::call));
    }

    @Test
    void aClassBelowAnAnnotatedOneIsLimitedByIt() {
        contexts.withBean(PublicBelow.class).run(context -> once(context.getBean(PublicBelow.class)::other));
    }

    @Test
    void whatEndsForItsCallerBeforeItBeginsEndsTheStartIfItsEndCounts() {
        contexts.withUserConfiguration(HandingOver.class)
                .withBean(HandedOver.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-307: @RateLimited on " + HandedOver.class.getName() + ".call")
                        .contains("returns 'void'"));
        contexts.withUserConfiguration(HandingOver.class)
                .withBean(HandedOverAndAnswered.class)
                .withBean(HandedOverAndCharged.class)
                .run(context -> assertThat(context).hasNotFailed());
        contexts.withBean(HandedOver.class).run(context -> assertThat(context).hasNotFailed());
    }

    /** The limits stand behind both then, and see the method end. */
    @Test
    void whatIsHandedOverBeforeTheLimitsDoesNot() {
        contexts.withUserConfiguration(HandingOver.class, Retrying.class)
                .withBean(HandedOverAndRepeated.class)
                .withPropertyValues("rate-limiter.order=2147483647")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(classes = {Early.class, BeforeAllBeans.class, BeforeAllDefinitions.class})
    void aBeanThatIsMadeTooEarlyEndsTheStart(Class<?> needsIt) {
        contexts.withBean(Plain.class)
                .withUserConfiguration(needsIt)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + Plain.class.getName() + ".call")
                        .contains("is never limited, because Spring made it before"));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void noOtherBeanIsMadeTooEarly(CapturedOutput output) {
        contexts.withBean(Plain.class)
                .run(context -> assertThat(output).doesNotContain("is not eligible for getting processed"));
    }

    @Test
    void aBeanThatIsNeverProxiedEndsTheStart() {
        contexts.withBean(LimitedAdvisor.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + LimitedAdvisor.class.getName() + ".call"));
    }

    @Test
    void anAnnotationOfALazyBeanOrAPrototypeIsReadAtTheStart() {
        for (String scope : new String[] {BeanDefinition.SCOPE_SINGLETON, BeanDefinition.SCOPE_PROTOTYPE}) {
            contexts.withBean(Unknown.class, Unknown::new, definition -> {
                        definition.setLazyInit(true);
                        definition.setScope(scope);
                    })
                    .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                            .contains("limit 'nowhere' is unknown"));
        }
    }

    static class Unknown {
        @RateLimited("nowhere")
        public void call() {}
    }

    @Test
    void anObjectThatSpringDidNotMakeIsLeftAlone() {
        contexts.withInitializer(context -> context.getBeanFactory().registerSingleton("mock", new Plain()))
                .run(context -> assertThatCode(() -> {
                            context.getBean(Plain.class).call();
                            context.getBean(Plain.class).call();
                        })
                        .doesNotThrowAnyException());
    }

    @Test
    void aKeyResolverMayNeedALimitedBean() {
        contexts.withBean("resolver", Resolver.class)
                .withBean(ByResolver.class)
                .run(context -> once(context.getBean(ByResolver.class)::call));
    }

    static class OfEverybody {
        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    static class OfARequest {
        @RateLimited(maxRequests = "1", key = "'tenant of ' + #request.header('X')")
        public void call() {}
    }

    static class Subscribed {
        @RateLimited(maxRequests = "1", key = "ip")
        public Mono<Void> call() {
            return Mono.empty();
        }
    }

    static class OfAnotherLibrary {
        @RateLimited(maxRequests = "1", key = "ip")
        public Flow.Publisher<String> call() {
            return JdkFlowAdapter.publisherToFlowPublisher(Mono.just("called"));
        }
    }

    @Test
    void inAReactiveApplicationAKeyOfTheRequestOnAMethodThatKnowsNoneEndsTheStart() {
        for (Class<?> type : List.of(Plain.class, OfARequest.class, OfAnotherLibrary.class)) {
            Contexts.reactive()
                    .withBean(type)
                    .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                            .contains("@RateLimited on " + type.getName() + ".call")
                            .contains(type == OfAnotherLibrary.class ? "returns 'Publisher'" : "returns 'void'"));
        }
        for (Class<?> type : List.of(OfEverybody.class, Subscribed.class)) {
            Contexts.reactive()
                    .withBean(type)
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    private static void once(Runnable call) {
        call.run();
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }
}
