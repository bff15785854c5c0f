/** What the starter's tests share: a clock they set, a request they make up, an application they start. */
package io.ratelimit.spring.testing;
