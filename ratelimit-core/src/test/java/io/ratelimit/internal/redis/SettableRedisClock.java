package io.ratelimit.internal.redis;

/**
 * Stands in for {@code clock.lua}: the time is what a key says, and where a test asks for it, keys expire by that time, too. The
 * times to live that Redis keeps itself run on real time, in which a test plays years: what it would have removed meanwhile,
 * and the store in memory still has, would never show. There Redis' own times are longer by minutes, so that none runs out before
 * the time that is set, on however slow a machine.
 */
final class SettableRedisClock {

    /**
     * What follows the name of the clock's key in that of the hash with each key's end. It exists if keys expire by no real time,
     * and has {@code "1"} under {@code ""} if they expire by the clock.
     */
    static final String ENDS = "-ends";

    static final String TEXT = """
            local clock = tonumber(redis.call('GET', 'CLOCK_KEY'))
            local server, ends = redis, 'CLOCK_KEY-ends'
            local mode = server.call('HGET', ends, '')
            local expires = mode == '1'
            for _, key in ipairs(expires and KEYS or {}) do
              local at = server.call('HGET', ends, key)
              if at and tonumber(at) <= clock then
                server.call('DEL', key)
              end
            end
            local function noted(call)
              return function(command, ...)
                if not mode or command ~= 'PSETEX' and command ~= 'PEXPIRE' then
                  return call(command, ...)
                end
                local key, millis = ...
                if expires then
                  server.call('HSET', ends, key, string.format('%.0f', clock + 1000 * millis))
                end
                return call(command, key, string.format('%.0f', millis + 600000), select(3, ...))
              end
            end
            local redis = {call = noted(server.call), pcall = noted(server.pcall)}
            """;

    private SettableRedisClock() {}
}
