package io.ratelimit.compatibility.kotlin

import io.ratelimit.RateLimitExceededException
import io.ratelimit.spring.RateLimited
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

interface Greeter<T> {

    @RateLimited(maxRequests = "1", key = "#user")
    fun greet(user: T): String = "hello $user"
}

open class English : Greeter<String>

open class Polite : English()

open class German : Greeter<String>

open class Delegating : Greeter<String> by German()

open class Numbered : Greeter<Int> {

    override fun greet(user: Int) = "number $user"
}

@JvmInline
value class Id(val text: String)

open class Identified : Greeter<Id> {

    override fun greet(user: Id) = "id ${user.text}"
}

open class Inlined {

    @RateLimited(maxRequests = "1", key = "global")
    inline fun <reified T> name(): String = T::class.java.simpleName
}

open class Generous : Greeter<String> {

    @RateLimited(maxRequests = "2", key = "#user")
    override fun greet(user: String) = "welcome $user"
}

class DefaultMethodTest {

    @Test
    fun `classes share the count of a default method, which Kotlin copies into each`() {
        assertThat(greeter<English>("english").greet("alice")).isEqualTo("hello alice")

        assertRefused("english")
        assertRefused("german")
        assertRefused("polite")
        assertRefused("delegating")
    }

    @Test
    fun `a method of a number is limited as the generic one that it overrides`() {
        val numbered = greeter<Numbered>("numbered")
        assertThat(numbered.greet(1)).isEqualTo("number 1")

        assertThatExceptionOfType(RateLimitExceededException::class.java).isThrownBy { numbered.greet(1) }
        assertThatExceptionOfType(RateLimitExceededException::class.java)
            .isThrownBy { greeter<Greeter<Int>>("numbered").greet(1) }
    }

    @Test
    fun `a generic method that is overridden for a value class stops the start`() {
        assertStopped(Identifying::class.java, "RL-304: @RateLimited on ${Identified::class.java.name}.greet: the annotated method is generic")
    }

    @Test
    fun `an inlined function stops the start`() {
        assertStopped(Inlining::class.java, "RL-304: @RateLimited on ${Inlined::class.java.name}.name: an inlined function is out of reach")
    }

    @Test
    fun `a class that overrides the method counts for itself`() {
        val generous = greeter<Generous>("generous")
        assertThat(generous.greet("alice")).isEqualTo("welcome alice")
        assertThat(generous.greet("alice")).isEqualTo("welcome alice")

        assertRefused("generous")
    }

    private fun assertStopped(application: Class<*>, message: String) {
        val starting = SpringApplicationBuilder(application).web(WebApplicationType.NONE).properties("spring.main.banner-mode=off")
        assertThatThrownBy { starting.run() }.rootCause().hasMessageStartingWith(message)
    }

    private fun assertRefused(name: String) {
        assertThatExceptionOfType(RateLimitExceededException::class.java)
            .isThrownBy { greeter<Greeter<String>>(name).greet("alice") }
    }

    @Suppress("UNCHECKED_CAST")
    private fun <T> greeter(name: String): T = application.getBean(name) as T

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class Identifying {

        @Bean
        open fun identified() = Identified()
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class Inlining {

        @Bean
        open fun inlined() = Inlined()
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class Greeters {

        @Bean
        open fun english() = English()

        @Bean
        open fun polite() = Polite()

        @Bean
        open fun german() = German()

        @Bean
        open fun delegating() = Delegating()

        @Bean
        open fun numbered() = Numbered()

        @Bean
        open fun generous() = Generous()
    }

    companion object {

        private val application: ConfigurableApplicationContext =
            SpringApplicationBuilder(Greeters::class.java)
                .web(WebApplicationType.NONE)
                .run("--spring.main.banner-mode=off")

        @AfterAll
        @JvmStatic
        fun stop() = application.close()
    }
}
