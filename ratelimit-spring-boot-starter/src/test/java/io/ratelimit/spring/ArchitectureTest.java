package io.ratelimit.spring;

import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.ratelimit.RateLimiter;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Who may know whom. */
@AnalyzeClasses(
        packages = "io.ratelimit",
        importOptions = {DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {

    /** The core shares its test support as a jar. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final Set<String> ABOVE_INFO =
            Set.of("warn", "error", "atWarn", "atError", "atLevel", "makeLoggingEventBuilder");

    private static final String STARTER = "io.ratelimit.spring..";
    private static final String AUTO_CONFIGURATION = "io.ratelimit.spring.autoconfigure..";
    private static final String INTERNAL = "io.ratelimit.spring.internal..";
    private static final String SERVLET = "io.ratelimit.spring.internal.servlet..";
    private static final String REACTIVE = "io.ratelimit.spring.internal.reactive..";

    /** Types that applications write down: each is a promise. */
    private static final Set<String> API = Set.of(
            "CurrentRequest",
            "HeaderFamily",
            "InvalidRateLimitException",
            "KeyResolver",
            "Limits",
            "MessageCode",
            "NamedLimits",
            "OutboundLimitExceededException",
            "PlanResolver",
            "RateLimitOverrideEvent",
            "RateLimitRefusedEvent",
            "RateLimited",
            "RateLimiterConnectionFactory",
            "RateLimiterProperties",
            "RateLimiterStackCustomizer",
            "RefusalHandler",
            "RefusalResponse",
            "RequestView");

    @ArchTest
    static final ArchRule coreKnowsNoSpring = noClasses()
            .that()
            .resideOutsideOfPackage(STARTER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", STARTER)
            .because("the core is usable alone, and nothing points back to the starter");

    @ArchTest
    static final ArchRule servletKnowsNoReactive = noClasses()
            .that()
            .resideInAPackage(SERVLET)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(REACTIVE, "org.springframework.web.server..", "org.springframework.web.reactive..")
            .because("an application has one of the two on its class path");

    @ArchTest
    static final ArchRule reactiveKnowsNoServlet = noClasses()
            .that()
            .resideInAPackage(REACTIVE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SERVLET, "jakarta.servlet..", "org.springframework.web.servlet..")
            .allowEmptyShould(true)
            .because("an application has one of the two on its class path");

    @ArchTest
    static final ArchRule whatBothShareKnowsNeither = noClasses()
            .that()
            .resideInAPackage(STARTER)
            .and()
            .resideOutsideOfPackages(SERVLET, REACTIVE, AUTO_CONFIGURATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SERVLET, REACTIVE, "jakarta.servlet..")
            .because("keys, rules and headers are the same in both kinds of application");

    @ArchTest
    static final ArchRule roomsHaveNoCycles = slices().assignedFrom(packagesOfTheStarter())
            .should()
            .beFreeOfCycles()
            .because("a reader can then learn one room after the other");

    @ArchTest
    static final ArchRule onlyTheApiIsPublic = classes()
            .that()
            .resideInAPackage(STARTER)
            .and()
            .resideOutsideOfPackage(INTERNAL)
            .and()
            .areTopLevelClasses()
            .and()
            .arePublic()
            .should()
            .beAnnotatedWith(AutoConfiguration.class)
            .orShould(be(partOfTheApi()))
            .because("what is public outside of internal packages cannot change any more");

    @ArchTest
    static final ArchRule nobodyDependsOnAutoConfiguration = noClasses()
            .that()
            .resideOutsideOfPackage(AUTO_CONFIGURATION)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(AUTO_CONFIGURATION)
            .because("it puts the parts together, and the parts work without it");

    @ArchTest
    static final ArchRule severalLimitersOfAnApplicationLetItStart = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .and()
            .areNotAnnotatedWith(Lazy.class)
            .and(DescribedPredicate.describe(
                    "need one limiter",
                    method -> method.getRawParameterTypes().stream()
                            .anyMatch(type -> type.isEquivalentTo(RateLimiter.class))))
            .should()
            .beDeclaredInClassesThat()
            .areAnnotatedWith(ConditionalOnSingleCandidate.class)
            .because("an application may have several limiters of its own, of which none is singled out");

    @ArchTest
    static final ArchRule lettuceStaysInItsPlace = noClasses()
            .that()
            .resideInAPackage(STARTER)
            .and()
            .resideOutsideOfPackages("io.ratelimit.spring.internal.redis..", AUTO_CONFIGURATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "org.springframework.data.redis..")
            .because("an application that counts in memory need not have them");

    @ArchTest
    static final ArchRule allWarningsHaveACode = noClasses()
            .that()
            .doNotHaveSimpleName("Warning")
            .and()
            .doNotHaveSimpleName("Listeners") // RL-651 of the core
            .and()
            .doNotHaveSimpleName("OutageLog") // RL-551 of the core
            .should()
            .accessTargetWhere(DescribedPredicate.describe(
                    "a logger above INFO",
                    access -> access.getTargetOwner().isAssignableTo(Logger.class)
                            && ABOVE_INFO.contains(access.getName())))
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("java.util.logging..", "org.apache.commons.logging..")
            .because("a code is what a warning is found, documented and silenced by: use Warning");

    @ArchTest
    static final ArchRule publicTypesAreAnnotatedWithoutInternalTypes = noClasses()
            .that()
            .resideInAPackage(STARTER)
            .and()
            .resideOutsideOfPackage(INTERNAL)
            .and()
            .arePublic()
            .should(be(annotatedWithInternalTypes()))
            .because("javadoc shows annotations of a public type, and crashes at a type that it leaves out");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked =
            classes().should(be(inANullMarkedPackage())).because("null is then said by the type, and checked");

    private static SliceAssignment packagesOfTheStarter() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return JavaClass.Predicates.resideInAPackage(STARTER).test(type)
                        ? SliceIdentifier.of(type.getPackageName())
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages of the starter";
            }
        };
    }

    private static DescribedPredicate<JavaClass> partOfTheApi() {
        return DescribedPredicate.describe("part of the API", type -> API.contains(type.getSimpleName()));
    }

    private static DescribedPredicate<JavaClass> annotatedWithInternalTypes() {
        return DescribedPredicate.describe(
                "annotated with internal types",
                type -> type.getAnnotations().stream()
                        .flatMap(annotation -> annotation.getProperties().values().stream())
                        .flatMap(value -> value instanceof JavaClass[] several ? Stream.of(several) : Stream.of(value))
                        .anyMatch(value -> value instanceof JavaClass named
                                && JavaClass.Predicates.resideInAPackage(INTERNAL)
                                        .test(named)));
    }

    private static DescribedPredicate<JavaClass> inANullMarkedPackage() {
        return DescribedPredicate.describe("in a package with @NullMarked", type -> {
            JavaPackage itsPackage = type.getPackage();
            return itsPackage.isAnnotatedWith(NullMarked.class);
        });
    }
}
