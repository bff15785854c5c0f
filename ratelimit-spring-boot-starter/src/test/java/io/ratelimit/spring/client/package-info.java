/** Limits on what the HTTP clients of an application send, to a partner that is a server of the tests. */
package io.ratelimit.spring.client;
