package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Whatever is written in an annotation and cannot work: the start ends with where it stands and what to do. */
class AnnotationErrorTest {

    static class UnknownLimit {
        @RateLimited("hourly")
        public void call() {}
    }

    static class UndefinedDefault {
        @RateLimited
        public void call() {}
    }

    static class CostAboveCapacity {
        @RateLimited(value = "login", cost = "6")
        public void call() {}
    }

    static class CostBelowOne {
        @RateLimited(value = "login", cost = "0")
        public void call() {}
    }

    static class CostInParts {
        @RateLimited(value = "login", cost = "1.5")
        public void call() {}
    }

    static class CostInPartsBelowZero {
        @RateLimited(value = "login", cost = "-1.5")
        public void call() {}
    }

    static class CostOfSeveral {
        @RateLimited(value = "login", cost = "2 * 3")
        public void call() {}
    }

    static class ActualCostBelowZero {
        @RateLimited(value = "login", actualCost = "-1")
        public void call() {}
    }

    static class CostOfElements {
        @RateLimited(algorithm = "unique-count", maxRequests = "5", element = "#device", cost = "2")
        public void call(String device) {}
    }

    static class ElementOfEverybody {
        @RateLimited(algorithm = "unique-count", maxRequests = "5", element = "'phone'")
        public void call() {}
    }

    static class ElementLikeTheKey {
        @RateLimited(algorithm = "unique-count", maxRequests = "5", key = "#user", element = "#user")
        public void call(String user) {}
    }

    static class TwoElements {
        @RateLimited(name = "devices", algorithm = "unique-count", maxRequests = "5", key = "ip", element = "#a")
        @RateLimited(name = "devices", algorithm = "unique-count", maxRequests = "5", key = "ip", element = "#b")
        public void call(String a, String b) {}
    }

    static class UnparsableCost {
        @RateLimited(value = "login", cost = "#items.")
        public void call(Object items) {}
    }

    static class UnknownArgument {
        @RateLimited(value = "login", key = "#user")
        public void call(String userId) {}
    }

    static class UnparsableCondition {
        @RateLimited(value = "login", condition = "#userId ==")
        public void call(String userId) {}
    }

    static class UnknownKey {
        @RateLimited(value = "login", key = "user")
        public void call() {}
    }

    static class NoSuchFallback {
        @RateLimited(value = "login", fallbackMethod = "instead")
        public String call(String userId) {
            return userId;
        }
    }

    static class FallbackOfAnotherType {
        @RateLimited(value = "login", fallbackMethod = "instead")
        public String call(String userId) {
            return userId;
        }

        int instead(String userId) {
            return userId.length();
        }
    }

    static class FallbackToItself {
        @RateLimited(value = "login", fallbackMethod = "call")
        public String call(String userId) {
            return userId;
        }
    }

    @RateLimited(value = "login", fallbackMethod = "call")
    static class FallbackOfClassToItself {
        public void call() {}
    }

    static class NoLimitNamed {
        @RateLimited("${shop.limit:}")
        public void call() {}
    }

    static class KeyOfPathVariable {
        @RateLimited(value = "login", key = "path:tenant")
        public void call(String tenant) {}
    }

    static class KeyOfNoHeader {
        @RateLimited(value = "login", key = "header:X A")
        public void call() {}
    }

    static class MaxRequestsBelowOne {
        @RateLimited(maxRequests = "0")
        public void call() {}
    }

    static class NoMaxRequests {
        @RateLimited(windowSize = "1s")
        public void call() {}
    }

    static class MaxRequestsInWords {
        @RateLimited(maxRequests = "${max:many}")
        public void call() {}
    }

    static class NoWindow {
        @RateLimited(maxRequests = "5", windowSize = "soon")
        public void call() {}
    }

    static class NoWait {
        @RateLimited(value = "login", maxWait = "soon")
        public void call() {}
    }

    static class NegativeWait {
        @RateLimited(value = "login", maxWait = "-1s")
        public void call() {}
    }

    static class LongWait {
        @RateLimited(value = "login", maxWait = "${shop.patience:25h}")
        public void call() {}
    }

    static class LongWindow {
        @RateLimited(maxRequests = "5", windowSize = "367d")
        public void call() {}
    }

    static class UnknownAlgorithm {
        @RateLimited(maxRequests = "5", algorithm = "leaky")
        public void call() {}
    }

    static class BurstWithoutBucket {
        @RateLimited(maxRequests = "5", burst = "9")
        public void call() {}
    }

    static class UnknownPolicy {
        @RateLimited(value = "login", onStoreFailure = "ignore")
        public void call() {}
    }

    static class CostInWords {
        @RateLimited(value = "login", cost = "many")
        public void call() {}
    }

    static class ConditionInWords {
        @RateLimited(value = "login", condition = "yes")
        public void call() {}
    }

    static class ConditionOfText {
        @RateLimited(value = "login", condition = "'yes'")
        public void call() {}
    }

    static class NoSuchBean {
        @RateLimited(value = "login", key = "@nobean.x()")
        public void call() {}
    }

    static class NoSuchRequestMethod {
        @RateLimited(value = "login", key = "#request.getHeaders('X')")
        public void call() {}
    }

    static class TheSameTwice {
        @RateLimited("login")
        @RateLimited(value = "login", cost = "2")
        public void call() {}
    }

    static class TheSameExactlyTwice {
        @RateLimited("login")
        @RateLimited("login")
        public void call() {}
    }

    @RateLimited("login")
    @RateLimited("login")
    static class TheSameExactlyTwiceOnClass {
        public void call() {}
    }

    static class TheSameUnderABlankCondition {
        @RateLimited(value = "login", condition = "${extra:}")
        @RateLimited(value = "login", condition = " ")
        public void call() {}
    }

    static class OneOfTwoConditional {
        @RateLimited("login")
        @RateLimited(value = "login", condition = "#big")
        public void call(boolean big) {}
    }

    static class UnresolvedMaxRequests {
        @RateLimited(maxRequests = "${shop.max}")
        public void call() {}
    }

    static class UnresolvedLimit {
        @RateLimited("${shop.limit}")
        public void call() {}
    }

    static class UnresolvedWithin {
        @RateLimited(value = "login", key = "header:${shop.${shop.inner}}")
        public void call() {}
    }

    @RateLimited("login")
    static final class FinalClass {
        public void call() {}
    }

    static sealed class SealedClass {
        @RateLimited("login")
        public void call() {}

        static final class Permitted extends SealedClass {}
    }

    static class MadeByItself {
        private MadeByItself() {}

        @RateLimited("login")
        public void call() {}
    }

    static final class FinalClassOfMethod {
        @RateLimited("login")
        public void call() {}
    }

    static class PrivateMethod {
        public void caller() {
            call();
        }

        @RateLimited("login")
        private void call() {}
    }

    static class StaticMethod {
        @RateLimited("login")
        public static void call() {}
    }

    static class BeanMethod {
        @Bean
        @RateLimited(maxRequests = "5")
        public Object call() {
            return "bean";
        }
    }

    static class FinalMethod {
        @RateLimited("login")
        @RateLimited(maxRequests = "1")
        public final void call() {}
    }

    @RateLimited("hourly")
    static class UnknownLimitOnClass {
        public void call() {}
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "UnknownLimit        | limit 'hourly' is unknown: define rate-limiter.limits.hourly, or use one of [login]",
                "UnknownLimitOnClass | limit 'hourly' is unknown: define rate-limiter.limits.hourly, or use one of [login]",
                "UndefinedDefault    | limit 'default' is used but not defined: set rate-limiter.max-requests",
                "CostAboveCapacity   | cost '6' can never fit limit 'login', whose capacity is 5: lower the cost",
                "CostBelowOne        | cost '0' must be at least 1",
                "CostInParts         | cost '1.5' is not a whole number",
                "CostInPartsBelowZero | cost '-1.5' is not a whole number",
                "CostOfSeveral       | cost '6' can never fit limit 'login', whose capacity is 5",
                "ActualCostBelowZero | actual cost '-1' is the same for every call: write what a call used",
                "CostOfElements      | cost '2' has no effect, because the limits [",
                "ElementOfEverybody  | element ''phone'' is the same for every call, so that no limit ever refuses",
                "ElementLikeTheKey   | element '#user' is the key, too, so that each subject has one",
                "TwoElements         | limit 'devices' stands there twice with the key 'ip', so that each call has two elements",
                "UnparsableCost      | '#items.' is not a valid expression",
                "UnknownArgument     | '#user' names [user], but there is only",
                "UnparsableCondition | '#userId ==' is not a valid expression",
                "UnknownKey          | key 'user' is unknown: use ip",
                "NoSuchFallback      | fallbackMethod 'instead' is not there: it needs the parameters of 'call'",
                "FallbackOfAnotherType | fallbackMethod 'instead' is not there",
                "FallbackToItself    | fallbackMethod 'call' is the method itself, so that refused calls would run all the same",
                "FallbackOfClassToItself | fallbackMethod 'call' is the method itself",
                "NoLimitNamed        | the name of a limit is empty: use one of [login]",
                "KeyOfPathVariable   | key 'path:tenant' names a path variable 'tenant', which only routes have: name an argument of the method, such as #tenant",
                "KeyOfNoHeader       | key 'header:X A' names a header 'X A', which no request can have",
                "MaxRequestsBelowOne | max-requests '0' must be at least 1",
                "NoMaxRequests       | has no max-requests",
                "MaxRequestsInWords  | maxRequests 'many' is not a whole number",
                "NoWindow            | windowSize 'soon' is not a valid duration: use 500ms, 60s, 24h or a number of seconds",
                "NoWait              | maxWait 'soon' is not a valid duration: use 500ms, 60s, 24h or a number of seconds",
                "NegativeWait        | maxWait '-1s' must be at least 0 and at most 24h",
                "LongWait            | maxWait '25h' must be at least 0 and at most 24h",
                "LongWindow          | window-size '367d' must be",
                "UnknownAlgorithm    | use-algo 'leaky' is not an algorithm: use one of fixed-window",
                "BurstWithoutBucket  | burst '9' is not supported by sliding-window-log",
                "UnknownPolicy       | onStoreFailure 'ignore' is unknown: use local, open or closed",
                "CostInWords         | 'many' names 'many', which CostInWords does not have",
                "ConditionInWords    | 'yes' names 'yes', which ConditionInWords does not have",
                "ConditionOfText     | ''yes'' is neither true nor false",
                "NoSuchBean          | names the bean 'nobean', which is not there",
                "NoSuchRequestMethod | names a method 'getHeaders()', which RequestView does not have: use one of [",
                "TheSameTwice        | limit 'login' stands there twice",
                "TheSameUnderABlankCondition | limit 'login' stands there twice",
                "OneOfTwoConditional | limit 'login' stands there twice",
                "TheSameExactlyTwice | limit 'login' stands there twice",
                "TheSameExactlyTwiceOnClass | limit 'login' stands there twice",
                "UnresolvedMaxRequests | maxRequests '${shop.max}' names the placeholder 'shop.max', for which there is no property: set shop.max, or write a default as in ${shop.max:VALUE}",
                "UnresolvedLimit     | value '${shop.limit}' names the placeholder 'shop.limit'",
                "UnresolvedWithin    | key 'header:${shop.${shop.inner}}' names the placeholder 'shop.inner'",
                "FinalClass          | a method of a 'final' class is out of reach of Spring's proxies",
                "FinalClassOfMethod  | a method of a 'final' class is out of reach of Spring's proxies",
                "SealedClass         | a method of a 'sealed' class is out of reach of Spring's proxies",
                "MadeByItself        | a method of a class whose constructors are 'private' is out of reach of Spring's proxies",
                "PrivateMethod       | a 'private' method is out of reach of Spring's proxies",
                "StaticMethod        | a 'static' method is out of reach of Spring's proxies",
                "FinalMethod         | a 'final' method is out of reach of Spring's proxies",
                "BeanMethod          | a '@Bean' method is called by Spring alone"
            })
    void endsTheStartWith(String type, String message) throws ClassNotFoundException {
        Class<?> annotated = Class.forName(getClass().getName() + "$" + type);

        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(annotated)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + annotated.getName() + ".call")
                        .contains(message));
    }

    static class OneOfTwo {
        @RateLimited(value = "login", cost = "5", condition = "#big")
        @RateLimited(value = "login", condition = "!#big")
        public void call(boolean big) {}
    }

    @Test
    void ofTwoWithConditionsOneMayApply() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(OneOfTwo.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class WhatBeansHave {
        @RateLimited(
                value = "login",
                key = "#request?.getHeader('X') ?: 'none'",
                cost = "weight",
                condition = "isLimited() and active")
        public void call() {}

        public int getWeight() {
            return 2;
        }

        public boolean isLimited() {
            return true;
        }

        public boolean isActive() {
            return true;
        }
    }

    static class Wide {
        public Object call() {
            return "wide";
        }
    }

    static class Narrow extends Wide {
        @Override
        @RateLimited("login")
        public String call() {
            return "narrow";
        }
    }

    static class Narrower extends Narrow {
        @Override
        public String call() {
            return "narrower";
        }
    }

    @Test
    void theBridgeOfAnAnnotatedMethodIsNoSecondAnnotation() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(Narrower.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Narrower.class).call()).isEqualTo("narrower");
                });
    }

    @Test
    void expressionsMayNameWhatTheBeanHas() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(WhatBeansHave.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(WhatBeansHave.class).call();
                });
    }

    abstract static class Job {
        @RateLimited(value = "login", key = "global", cost = "weight", actualCost = "used", condition = "limited")
        public void call() {}
    }

    static class Mail extends Job {
        public int getWeight() {
            return 2;
        }

        public int getUsed() {
            return 1;
        }

        public boolean isLimited() {
            return true;
        }
    }

    @Test
    void expressionsMayNameWhatTheBeanOfAnInheritedMethodHas() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(Mail.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Mail.class).call();
                    assertThat(remaining(context)).isEqualTo(4);
                });
    }

    interface Batches {
        int SIZE = 2;

        @RateLimited(value = "login", key = "global", cost = "SIZE")
        default void call() {}
    }

    static class Imports implements Batches {}

    @Test
    void expressionsMayNameAConstantOfAnInterface() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(Imports.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Imports.class).call();
                    assertThat(remaining(context)).isEqualTo(3);
                });
    }

    static class Backup extends Job {}

    @Test
    void theMessageNamesTheBeanOfAnInheritedMethod() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=5")
                .withBean(Backup.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("@RateLimited on " + Job.class.getName() + ".call")
                        .contains("which Backup does not have"));
    }

    private static long remaining(ApplicationContext context) {
        Limit login = context.getBean(Limits.class).get("login");
        return context.getBean(RateLimiter.class)
                .peek(Acquisition.of(login, "global"))
                .remaining();
    }

    static class FallbackOfTheSameName {
        @RateLimited(value = "login", fallbackMethod = "call")
        public String call() {
            return "called";
        }

        String call(RateLimitExceededException refusal) {
            return "refused";
        }
    }

    @Test
    void aFallbackOfTheSameNameThatTakesTheRefusalIsAnotherMethod() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.login.max-requests=1")
                .withBean(FallbackOfTheSameName.class)
                .run(context -> {
                    FallbackOfTheSameName bean = context.getBean(FallbackOfTheSameName.class);
                    assertThat(bean.call()).isEqualTo("called");
                    assertThat(bean.call()).isEqualTo("refused");
                });
    }
}
