-- The time of the whole batch, in µs since 1970: Redis' own, read once. Tests put a clock of theirs here.
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
