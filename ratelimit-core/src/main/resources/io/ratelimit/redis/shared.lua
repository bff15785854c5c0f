-- What the fragments of the algorithms share: where they register, what they call, and how they read a key.
-- Constants go to Redis as strings: a number it prints by %.17g (7.0 does), a twentieth of a decision's time in a batch.
local algorithms = {}
local call, pcall = redis.call, redis.pcall
local pack, unpack = struct.pack, struct.unpack

-- Keys end at whole steps, in µs: what resets within the same step as what was kept has a TTL that will do.
local TTL_STEP = 400000

-- What a key holds, or a part of it; nil if it is of another type. Any other failure ends the script.
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
