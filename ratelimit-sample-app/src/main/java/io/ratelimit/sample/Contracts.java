package io.ratelimit.sample;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.stereotype.Component;

/** Numbers of the limit {@code contracts} for each customer, in a database in memory: 6 for alice, 12 for bob. */
@Component
final class Contracts implements LimitProvider, AutoCloseable {

    private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder()
            .setType(EmbeddedDatabaseType.H2)
            .generateUniqueName(true)
            .build();
    private final JdbcClient jdbc = JdbcClient.create(database);

    Contracts() {
        jdbc.sql("create table contract (subject varchar primary key, requests_per_minute bigint)")
                .update();
        jdbc.sql("insert into contract values ('header:x-user:alice', 6), ('header:x-user:bob', 12)")
                .update();
    }

    @Override
    public Optional<Numbers> numbers(Limit limit, String subject) {
        return jdbc.sql("select requests_per_minute from contract where subject = ?")
                .param(subject)
                .query(Long.class)
                .optional()
                .map(Numbers::of);
    }

    @Override
    public boolean provides(Limit limit) {
        return limit.name().equals("contracts");
    }

    @Override
    public void close() {
        database.shutdown();
    }
}
