-- The commands that tutorials put into a MULTI for a sliding-window log.
-- KEYS: the sorted set. ARGV: the application's time in ms; window in ms; a word that no other call uses.
-- Reply: how many calls the window holds, this one included. Leaves: the set; TTL: the window.
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
