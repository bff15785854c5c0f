/** Redis for tests: what a fresh machine need not have. Shared with the modules that build on the core. */
package io.ratelimit.testing;
