package io.ratelimit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** Who may know whom. */
@AnalyzeClasses(packages = "io.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String[] PLAIN_JAVA = {"java..", "org.jspecify.annotations"};

    @ArchTest
    static final ArchRule noSpring = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the core is usable alone, and in any framework");

    @ArchTest
    static final ArchRule algorithmsKnowOnlyJava = classes()
            .that()
            .resideInAPackage("io.ratelimit.internal.algorithm")
            .should()
            .onlyDependOnClassesThat(areIn("io.ratelimit.internal.algorithm", "io.ratelimit", PLAIN_JAVA)
                    .or(JavaClass.Predicates.resideInAPackage("io.ratelimit.internal")))
            .because("an algorithm is pure: state and time in, answer and state out");

    @ArchTest
    static final ArchRule algorithmsKnowNoClock = noClasses()
            .that()
            .resideInAPackage("io.ratelimit.internal.algorithm")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.time..", "java.util.concurrent..")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because("time comes with every call, so that a test chooses it and one clock decides");

    @ArchTest
    static final ArchRule redisStoreKnowsNoClockOfTheApplication = noClasses()
            .that()
            .resideInAPackage("io.ratelimit.internal.redis")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because("Redis' own time decides, so that an application clock that is wrong or set matters to nobody");

    @ArchTest
    static final ArchRule apiKnowsNoStoreAndNoLibrary = classes()
            .that()
            .resideInAPackage("io.ratelimit")
            .should()
            .onlyDependOnClassesThat(areIn("io.ratelimit", "io.ratelimit.internal", PLAIN_JAVA))
            .because("stores depend on the API and nothing points back, so that one can be added or left out");

    @ArchTest
    static final ArchRule memoryKnowsNoRedis = noClasses()
            .that()
            .resideInAPackage("io.ratelimit.memory..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.ratelimit.internal.redis..", "io.lettuce..")
            .because("an application that limits in memory alone need not have a Redis client");

    @ArchTest
    static final ArchRule redisKnowsNoMemory = noClasses()
            .that()
            .resideInAPackage("io.ratelimit.internal.redis..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.ratelimit.memory..", "com.github.benmanes.caffeine..")
            .because("the stores are alternatives; what falls back from one to the other stands above both");

    @ArchTest
    static final ArchRule layersKnowOnlyTheApi = noClasses()
            .that()
            .resideInAnyPackage("io.ratelimit.internal.redis..", "io.ratelimit.memory..", "io.ratelimit.internal..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.ratelimit.stack..")
            .because("the stack puts stores and layers together, and nothing points back");

    @ArchTest
    static final ArchRule layersKnowNoStore = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.ratelimit.internal.call..",
                    "io.ratelimit.internal.layer..",
                    "io.ratelimit.internal.lease..",
                    "io.ratelimit.internal.numbers..",
                    "io.ratelimit.internal.shard..",
                    "io.ratelimit.internal.waiting..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.ratelimit.internal.redis..", "io.ratelimit.memory..")
            .because("leases and shards work over any store");

    @ArchTest
    static final ArchRule noPublicSignatureNamesAnInternalType = noMethods()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .and()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage("io.ratelimit.internal..")
            .should()
            .haveRawReturnType(JavaClass.Predicates.resideInAPackage("io.ratelimit.internal.."))
            .orShould()
            .haveRawParameterTypes(anyInternal())
            .because("what is internal may change in any release");

    @ArchTest
    static final ArchRule packagesKnowEachOtherInOneDirection = slices().matching("io.(**)")
            .should()
            .beFreeOfCycles()
            .because("a room that knows who uses it cannot be changed alone");

    @ArchTest
    static final ArchRule fewTypesArePublic = classes()
            .that()
            .arePublic()
            .and()
            .areTopLevelClasses()
            .and()
            .resideInAnyPackage("io.ratelimit.redis", "io.ratelimit.memory", "io.ratelimit.stack")
            .should()
            .haveNameMatching(
                    ".*\\.(RedisConnections|BreakerState|InMemoryRateLimiter|MicrosClock|RateLimiterStack|RateLimiterStackBuilder|StackState)")
            .because("what is public freezes with the first release");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .should(beInANullMarkedPackage())
            .because("the build checks nullness only where a package asks for it");

    private static DescribedPredicate<List<JavaClass>> anyInternal() {
        return DescribedPredicate.describe(
                "an internal type among them",
                types -> types.stream().anyMatch(JavaClass.Predicates.resideInAPackage("io.ratelimit.internal..")));
    }

    private static DescribedPredicate<JavaClass> areIn(String first, String second, String[] more) {
        return areIn(first, more).or(JavaClass.Predicates.resideInAPackage(second));
    }

    private static DescribedPredicate<JavaClass> areIn(String first, String[] more) {
        return JavaClass.Predicates.resideInAPackage(first).or(JavaClass.Predicates.resideInAnyPackage(more));
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return new ArchCondition<>("be in a package annotated with @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(new SimpleConditionEvent(type, marked, type.getName() + " is in " + type.getPackageName()));
            }
        };
    }
}
