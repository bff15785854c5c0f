-- Decides a batch of acquisitions of buckets, as most batches are, before the functions of the engine are defined: a single one
-- at two thirds of the cost. Replies as engine.lua does, and returns nil for batches in which something else is done, and
-- for buckets in an unusual state. Layout: token-bucket.lua, and engine.lua for request and reply.

-- Returns what is missing from a bucket in parts of a token, of which a window in µs makes one; nil if it is none.
local function open_alone(key, window, max, capacity)
  local kept, missing, holds = read(key), 0, capacity * window
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
  return {window = window, max = max, capacity = capacity, holds = holds, missing = missing, changed = false}
end

local function decide_alone(request)
  local deadline, position = unpack('>I8', request)
  if deadline > 0 and clock > deadline then
    return nil
  end
  local size_of_keys, end_of_request = #KEYS, #request
  local windows, opened = {nil}, 0 -- that of a key stands at the last key of its limit
  while opened < size_of_keys do
    local _, window
    opened, _, window, position = unpack('>I4sI8', request, position)
    windows[opened] = window
  end

  local buckets, reply, size_of_reply = {nil}, {pack('>I8', clock), nil}, 1
  while position <= end_of_request do
    local operation, times, _, size, first = unpack('>c1I4I8I4', request, position)
    if operation ~= 'A' then
      return nil
    end
    position = first + 28 * size
    local admitted = times
    for at = first, position - 1, 28 do
      local index, max, capacity, cost = unpack('>I4I8I8I8', request, at)
      local bucket = buckets[index]
      if not bucket then
        local last = index
        while not windows[last] do
          last = last + 1
        end
        bucket = capacity * windows[last] < 2 ^ 51 and open_alone(KEYS[index], windows[last], max, capacity)
        buckets[index] = bucket
      end
      if not bucket or bucket.max ~= max or bucket.capacity ~= capacity or cost > capacity then
        return nil -- or parts whose sums might not be exact, or a cost that never fits
      end
      local room, costs = bucket.holds - bucket.missing, cost * bucket.window
      if room < admitted * costs then
        admitted = (room - room % costs) / costs
      end
    end
    for at = first, position - 1, 28 do
      local index, max, capacity, cost = unpack('>I4I8I8I8', request, at)
      local bucket = buckets[index]
      local window, missing = bucket.window, bucket.missing
      if admitted > 0 then
        missing = missing + admitted * cost * window
        bucket.missing, bucket.changed = missing, true
      end
      local used = missing + -missing % window
      local left, reset_after = capacity - used / window, (missing + -missing % max) / max
      size_of_reply = size_of_reply + 1
      if admitted == times then
        reply[size_of_reply] = pack('>I4I8I8', admitted, left, reset_after)
      else
        local lacks = missing + cost * window - bucket.holds
        local retry_after = lacks > 0 and (lacks + -lacks % max) / max or 0
        reply[size_of_reply] = pack('>I4I8I8I8', admitted, left, reset_after, retry_after)
      end
    end
  end

  local ttl_micros, ttl_text
  for index = 1, size_of_keys do
    local bucket = buckets[index]
    if bucket.changed then
      local missing, max = bucket.missing, bucket.max
      local rest, resets_at = missing % bucket.window, clock + (missing + -missing % max) / max
      local ttl = resets_at - resets_at % TTL_STEP + 2 * TTL_STEP - clock
      if ttl ~= ttl_micros then
        ttl_micros, ttl_text = ttl, string.format('%d', ttl / 1000)
      end
      call('PSETEX', KEYS[index], ttl_text, pack('>I7I5I6I5', clock, (missing - rest) / bucket.window, rest, max))
    end
  end
  return size_of_reply == 2 and reply[1] .. reply[2] or table.concat(reply)
end

local decided = decide_alone(ARGV[1])
if decided then
  return decided
end
