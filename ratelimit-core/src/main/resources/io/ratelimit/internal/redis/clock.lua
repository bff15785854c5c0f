-- Reads the time of the whole batch once: Redis' own, in µs since 1970. Tests replace this file by a clock of their own.
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
