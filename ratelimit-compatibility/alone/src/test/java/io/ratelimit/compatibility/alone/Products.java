package io.ratelimit.compatibility.alone;

import io.ratelimit.compatibility.alone.Products.Product;
import org.springframework.data.annotation.Id;
import org.springframework.data.repository.CrudRepository;

/** Not marked as JDBC's own: with a second Spring Data module beside it, nobody would implement it. */
public interface Products extends CrudRepository<Product, Long> {

    record Product(@Id Long id, String name) {}
}
