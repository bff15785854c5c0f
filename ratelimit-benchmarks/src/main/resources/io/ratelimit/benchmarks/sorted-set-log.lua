-- The usual sliding-window log, to be compared with: one member of a sorted set for each request.
-- KEYS: the set. ARGV: max; window in µs; cost; a word that no other call uses.
-- Reply: 1 if admitted, else 0. Leaves: the set; TTL: the window.
local time = redis.call('TIME')
local now, window, cost = time[1] * 1000000 + time[2], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
if redis.call('ZCARD', KEYS[1]) + cost > tonumber(ARGV[1]) then
  return 0
end
for i = 1, cost do
  redis.call('ZADD', KEYS[1], now, ARGV[4] .. ':' .. i)
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 1
