/** What is true over HTTP of servlet and reactive applications alike. */
package io.ratelimit.spring.web;
