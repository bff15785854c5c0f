-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.algorithm.TokenBucket, which says how.
-- Leaves one string a subject, 12 bytes: the time at which the bucket is full again in µs (7), and the rest of it in
-- parts of 1/max µs (5). TTL: until the bucket is full.

-- How long a bucket that is full in so many micros and parts lacks less than all of its tokens: below 0 if it never did.
local function filled_for(limit, micros, parts)
  local whole_micros, whole_parts = divide(limit.capacity, limit.window, limit.max)
  micros, parts = whole_micros - micros, whole_parts - parts
  if parts < 0 then
    return micros - 1, parts + limit.max
  end
  return micros, parts
end

local function tokens(limit, micros, parts)
  micros, parts = filled_for(limit, micros, parts)
  if micros < 0 then
    return 0
  end
  local whole, rest = divide(micros, limit.max, limit.window)
  rest = rest + parts
  return whole + (rest - rest % limit.window) / limit.window
end

algorithms['token-bucket'] = {
  open = function(limit, key)
    local micros, parts, remaining, resets_at = 0, 0, limit.capacity, false
    local kept = call('GET', key)
    if kept then
      local full_at, full_at_parts = unpack('>I7I5', kept)
      resets_at = full_at_parts > 0 and full_at + 1 or full_at
      if full_at >= clock then
        micros, parts = full_at - clock, full_at_parts < limit.max and full_at_parts or limit.max - 1
        remaining = tokens(limit, micros, parts)
      end
    end
    return {
      limit = limit, key = key, remaining = remaining, changed = false, resets_at = resets_at,
      micros = micros, parts = parts
    }
  end,

  take = function(state, cost)
    local limit = state.limit
    local micros, parts = divide(cost, limit.window, limit.max)
    micros, parts = state.micros + micros, state.parts + parts
    if parts >= limit.max then
      micros, parts = micros + 1, parts - limit.max
    end
    state.micros, state.parts = micros, parts
  end,

  give_back = function(state, cost, taken_at)
    local limit = state.limit
    local micros, parts = divide(cost, limit.window, limit.max)
    local worth = clock > taken_at and micros - (clock - taken_at) or micros
    if worth < 0 then
      return false
    end
    micros, parts = state.micros - worth, state.parts - parts
    if parts < 0 then
      micros, parts = micros - 1, parts + limit.max
    end
    if micros < 0 then
      micros, parts = 0, 0
    end
    state.micros, state.parts, state.remaining = micros, parts, tokens(limit, micros, parts)
    return true
  end,

  retry_after = function(state, cost)
    local limit = state.limit
    local micros, parts = divide(cost, limit.window, limit.max)
    local filled, filled_parts = filled_for(limit, state.micros, state.parts)
    return micros - filled + (parts > filled_parts and 1 or 0)
  end,

  reset_after = function(state)
    return state.parts > 0 and state.micros + 1 or state.micros
  end,

  close = function(state, ttl)
    local kept = pack('>I7I5', clock + state.micros, state.parts)
    if ttl then
      call('PSETEX', state.key, ttl, kept)
    else
      call('SETRANGE', state.key, '0', kept)
    end
  end
}
