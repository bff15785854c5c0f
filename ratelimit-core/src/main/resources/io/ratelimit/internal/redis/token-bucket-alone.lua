-- Decides a batch of one acquisition of buckets, as most batches are, before the functions of the engine are defined: at two
-- thirds of the cost. Replies as engine.lua does, and returns nil for any other batch and for buckets in an unusual state.
-- Layout: token-bucket.lua, and engine.lua for request and reply.

-- Returns a bucket and a charge of it in parts of a token, of which a window in µs makes one.
local function open_alone(key, window, max, capacity, cost)
  local costs, holds = cost * window, capacity * window
  if costs >= 2 ^ 51 or holds >= 2 ^ 51 then
    return nil -- sums of parts might not be exact
  end
  local kept, missing = read(key), 0
  if kept then
    if #kept ~= 23 then
      return nil
    end
    local changed_at, tokens, rest, rate = unpack('>I7I5I6I5', kept)
    missing = tokens * window + rest
    if changed_at > clock or missing > holds or rest >= window or rate ~= max then
      return nil
    end
    local refilled = (clock - changed_at) * max
    missing = missing > refilled and missing - refilled or 0
  elseif kept == nil then
    return nil
  end
  return {
    key = key, window = window, max = max, capacity = capacity, costs = costs, missing = missing,
    lacks = missing + costs - holds
  }
end

local function decide_alone(request)
  local deadline, position = unpack('>I8', request)
  local windows, opened = {nil}, 0 -- that of a key stands at the last key of its limit
  while opened < #KEYS do
    local _, window
    opened, _, window, position = unpack('>I4sI8', request, position)
    windows[opened] = window
  end
  local operation, times, _, size, first = unpack('>c1I4I8I4', request, position)
  if operation ~= 'A' or times > 1 or first + 28 * size <= #request or deadline > 0 and clock > deadline then
    return nil
  end

  local buckets, admitted = {nil}, 1
  for i = 1, size do
    local index, max, capacity, cost = unpack('>I4I8I8I8', request, first + 28 * (i - 1))
    local last = index
    while not windows[last] do
      last = last + 1
    end
    local bucket = open_alone(KEYS[index], windows[last], max, capacity, cost)
    if not bucket then
      return nil
    end
    if bucket.lacks > 0 then
      admitted = 0
    end
    buckets[i] = bucket
  end

  local reply = pack('>I8', clock)
  for i = 1, size do
    local bucket = buckets[i]
    local window, max, missing = bucket.window, bucket.max, bucket.missing + admitted * bucket.costs
    local rest, full_in = missing % window, (missing + -missing % max) / max
    local tokens = (missing - rest) / window
    reply = reply .. pack('>I4I8I8', admitted, bucket.capacity - tokens - (rest > 0 and 1 or 0), full_in)
    if admitted == 1 then
      local resets_at = clock + full_in
      local ttl = resets_at - resets_at % TTL_STEP + 2 * TTL_STEP - clock
      call('PSETEX', bucket.key, string.format('%d', ttl / 1000), pack('>I7I5I6I5', clock, tokens, rest, max))
    else
      local lacks = bucket.lacks > 0 and bucket.lacks or 0
      reply = reply .. pack('>I8', (lacks + -lacks % max) / max)
    end
  end
  return reply
end

local decided = decide_alone(ARGV[1])
if decided then
  return decided
end
