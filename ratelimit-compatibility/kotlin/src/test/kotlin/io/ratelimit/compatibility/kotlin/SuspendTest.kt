package io.ratelimit.compatibility.kotlin

import io.ratelimit.RateLimitExceededException
import io.ratelimit.spring.RateLimited
import io.ratelimit.stack.RateLimiterStack
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.atomic.AtomicInteger

open class Generic<T> {

    @RateLimited(maxRequests = "1", key = "#user", fallbackMethod = "instead")
    open suspend fun call(user: T): T = user

    open suspend fun instead(user: T): T = user
}

open class Overriding : Generic<String>() {

    override suspend fun instead(user: String): String = "not $user"
}

open class Service {

    @RateLimited(maxRequests = "1", key = "#user")
    open suspend fun byArgument(user: String): String {
        delay(1)
        return user
    }

    @RateLimited(maxRequests = "1", key = "#user", fallbackMethod = "instead")
    open suspend fun withFallback(user: String): String = user

    open suspend fun instead(user: String, refusal: RateLimitExceededException): String {
        delay(1)
        return "not " + user
    }

    @RateLimited(algorithm = "token-bucket", maxRequests = "1", windowSize = "50ms", key = "#user", maxWait = "1h")
    open suspend fun patient(user: String): String {
        delay(1)
        return user
    }

    @RateLimited(maxRequests = "1", windowSize = "30m", key = "#user", maxWait = "1h")
    open suspend fun veryPatient(user: String): String = user

    val flows = AtomicInteger()

    @RateLimited(maxRequests = "2", key = "#user")
    open fun flow(user: String): Flow<String> {
        flows.incrementAndGet()
        return flowOf(user, user)
    }

    open fun flowsMade() = flows.get()

    @RateLimited(maxRequests = "9", key = "global")
    open fun endless(emitted: AtomicInteger): Flow<Int> = flow {
        while (true) {
            emit(emitted.incrementAndGet())
        }
    }

    @RateLimited(maxRequests = "1", key = "#user")
    open suspend fun flowLater(user: String): Flow<String> {
        delay(1)
        return flowOf(user, user)
    }

    @RateLimited(maxRequests = "1", key = "param:user")
    open suspend fun byRequest(): String = "ok"
}

@RestController
open class Endpoint(private val service: Service) {

    @RateLimited(maxRequests = "1", key = "param:user")
    @GetMapping("/limited")
    open suspend fun limited(@RequestParam user: String): String {
        delay(1)
        return user
    }

    @RateLimited(maxRequests = "100", key = "global")
    @GetMapping("/calls")
    open suspend fun calls(): String {
        delay(1)
        return service.byRequest()
    }
}

@SpringBootApplication
open class Application {

    @Bean
    open fun service() = Service()

    @Bean
    open fun overriding() = Overriding()
}

/** Limited suspend functions: their arguments are what is written, and they know their request after a suspension. */
class SuspendTest {

    private val service = application.getBean(Service::class.java)

    @Test
    fun `keys see the arguments`() = runBlocking<Unit> {
        assertThat(service.byArgument("alice")).isEqualTo("alice")
        assertThat(service.byArgument("bob")).isEqualTo("bob")
        assertThatExceptionOfType(RateLimitExceededException::class.java)
            .isThrownBy { runBlocking { service.byArgument("alice") } }
    }

    @Test
    fun `a fallback suspends, too`() = runBlocking<Unit> {
        assertThat(service.withFallback("alice")).isEqualTo("alice")
        assertThat(service.withFallback("alice")).isEqualTo("not alice")
    }

    @Test
    fun `a fallback may override a generic one`() = runBlocking<Unit> {
        val overriding = application.getBean(Overriding::class.java)
        assertThat(overriding.call("alice")).isEqualTo("alice")
        assertThat(overriding.call("alice")).isEqualTo("not alice")
    }

    @Test
    fun `a flow is decided whenever it is collected`() = runBlocking<Unit> {
        val flow = service.flow("dora")
        assertThat(service.flowsMade()).isZero()
        assertThat(flow.toList()).containsExactly("dora", "dora")
        assertThat(flow.toList()).containsExactly("dora", "dora")
        assertThatExceptionOfType(RateLimitExceededException::class.java)
            .isThrownBy { runBlocking { flow.toList() } }
        assertThat(service.flowsMade()).isEqualTo(2)
    }

    @Test
    fun `a flow runs no further than its collector`() = runBlocking<Unit> {
        val emitted = AtomicInteger()
        assertThat(service.endless(emitted).take(3).toList()).containsExactly(1, 2, 3)
        assertThat(emitted.get()).isEqualTo(3)
    }

    @Test
    fun `a flow that a suspend function returns is decided, too`() = runBlocking<Unit> {
        assertThat(service.flowLater("dora").toList()).containsExactly("dora", "dora")
        assertThatExceptionOfType(RateLimitExceededException::class.java)
            .isThrownBy { runBlocking { service.flowLater("dora").toList() } }
    }

    @Test
    fun `calls that may wait are admitted one after the other`() = runBlocking<Unit> {
        val answers = (1..5).map { async { service.patient("emil") } }.awaitAll()
        assertThat(answers).hasSize(5).containsOnly("emil")
    }

    @Test
    fun `a call waits without its thread, and no longer than its coroutine`() = runBlocking<Unit> {
        val limiter = application.getBean(RateLimiterStack::class.java)
        assertThat(service.veryPatient("fay")).isEqualTo("fay")

        val waiting = async(start = CoroutineStart.UNDISPATCHED) { service.veryPatient("fay") }
        assertThat(limiter.state().waiting()).isEqualTo(1)
        waiting.cancelAndJoin()

        assertThat(limiter.state().waiting()).isZero()
    }

    @Test
    fun `an endpoint answers 429`() {
        assertThat(status("/limited?user=alice")).isEqualTo(200)
        assertThat(status("/limited?user=bob")).isEqualTo(200)
        assertThat(status("/limited?user=alice")).isEqualTo(429)
    }

    @Test
    fun `the request travels with the coroutine of a limited endpoint`() {
        assertThat(status("/calls?user=alice")).isEqualTo(200)
        assertThat(status("/calls?user=bob")).isEqualTo(200)
        assertThat(status("/calls?user=alice")).isEqualTo(429)
    }

    private fun status(path: String): Int {
        val port = application.environment.getRequiredProperty("local.server.port")
        val request = HttpRequest.newBuilder(URI.create("http://localhost:$port$path")).build()
        return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode()
    }

    companion object {

        private val application: ConfigurableApplicationContext =
            SpringApplicationBuilder(Application::class.java).run("--server.port=0", "--spring.main.banner-mode=off")

        @AfterAll
        @JvmStatic
        fun stop() = application.close()
    }
}
