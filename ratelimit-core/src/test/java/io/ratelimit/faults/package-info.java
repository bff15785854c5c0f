/** What happens when things break: real Redis processes that are killed, hung, flushed, filled, and failed over. */
package io.ratelimit.faults;
