package io.ratelimit.spring.ai;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom. */
@AnalyzeClasses(packages = "io.ratelimit.spring.ai", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule onlyTheApiIsPublic = classes()
            .that()
            .arePublic()
            .should()
            .haveSimpleName("TokenLimitAdvisor")
            .orShould()
            .haveSimpleName("TokenLimitAdvisorBuilder")
            .because("what is public cannot change any more");

    @ArchTest
    static final ArchRule knowsTheCoreAndNotTheStarter = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.ratelimit",
                    "io.ratelimit.internal",
                    "io.ratelimit.spring.ai",
                    "org.springframework.ai..",
                    "org.springframework.core",
                    "reactor.core..",
                    "org.reactivestreams",
                    "io.micrometer.core.instrument",
                    "org.jspecify.annotations",
                    "java..")
            .because("an application without Spring Boot can limit its ChatClient, too");
}
