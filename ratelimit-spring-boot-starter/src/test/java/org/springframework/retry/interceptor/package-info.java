/** Stands in for spring-retry. */
package org.springframework.retry.interceptor;
