/** Requests of a server that is known by the names of its classes. */
@NullMarked
package org.eclipse.jetty;

import org.jspecify.annotations.NullMarked;
