/** For tests here and in the modules that build on the core: Redis, a clock to set, calls over HTTP. */
package io.ratelimit.testing;
