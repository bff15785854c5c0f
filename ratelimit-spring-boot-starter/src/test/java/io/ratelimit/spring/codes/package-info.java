/** Each code of a message has a page and is provoked here. */
package io.ratelimit.spring.codes;
