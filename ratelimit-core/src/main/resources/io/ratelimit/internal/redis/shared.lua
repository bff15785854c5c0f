-- Shared by the fragments of the algorithms: the table in which they register, shorthands, and reading a key.
-- Constants go to Redis as strings: a number it prints by %.17g (7.0 does), a twentieth of a decision's time in a batch.
local algorithms = {}
local call, pcall, type = redis.call, redis.pcall, type
local pack, unpack = struct.pack, struct.unpack

-- Most that a subject owes after underestimated calls; what is above it does not count.
local MOST_OWED = 100000000000000

-- Numbers up to this one are exact. A larger time is none, but a foreign value, and so is a larger sum than MOST_OWED.
local MOST_EXACT = 2 ^ 53

-- Most entries of a log: 512 MB, the longest string.
local MOST_SLOTS = 44739239

-- Where the acquisitions of the request end: before the periods of calendars, if it has any.
local end_of_acquisitions = #ARGV[1]

-- Keys expire at whole steps, in µs. If the new state resets in the same step as the stored one, its TTL can stay.
local TTL_STEP = 400000

-- Returns the value of a key or a part of it; nil if the key has another type. Any other error ends the script.
local function read(key, from, to)
  local reply
  if from then
    reply = pcall('GETRANGE', key, from, to)
  else
    reply = pcall('GET', key)
  end
  if type(reply) ~= 'table' then
    return reply
  elseif string.find(reply.err, 'WRONGTYPE', 1, true) then
    return nil
  elseif from then
    return call('GETRANGE', key, from, to)
  end
  return call('GET', key)
end
