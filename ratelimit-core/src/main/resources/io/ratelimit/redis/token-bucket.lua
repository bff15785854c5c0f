-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.algorithm.TokenBucket, which explains it.
-- Leaves one string a subject, 24 bytes: the time at which the bucket is full again in µs (7), the rest of it in parts of
-- a µs (5), how many parts make a µs (5), and the most that was missing since the bucket was last full, in µs (7).
-- TTL: until the bucket is full.

local function up_to_micros(micros, parts)
  return parts > 0 and micros + 1 or micros
end

-- Returns what is missing in parts of max. Parts that were written under another max are rounded up to a whole µs.
local function in_parts_of(state, max)
  if state.parts > 0 and state.divisor ~= max then
    return state.micros + 1, 0
  end
  return state.micros, state.parts
end

-- Returns what is missing under these numbers, and what a whole bucket is worth.
local function missing_and_whole(state, max, capacity)
  local micros, parts = in_parts_of(state, max)
  local whole_micros, whole_parts = state.window, 0
  if capacity ~= max then
    whole_micros, whole_parts = divide(capacity, state.window, max)
  end
  if state.peak > up_to_micros(whole_micros, whole_parts) then
    micros, parts = micros - state.peak + whole_micros, parts + whole_parts
    if parts >= max then
      micros, parts = micros + 1, parts - max
    end
    if micros < 0 then
      micros, parts = 0, 0
    end
  end
  return micros, parts, whole_micros, whole_parts
end

algorithms['token-bucket'] = {
  open = function(key, window)
    local micros, parts, divisor, peak, changed = 0, 0, 1, 0, false
    local kept = read(key)
    if kept then
      if #kept ~= 24 then
        return nil
      end
      local full_at
      full_at, parts, divisor, peak = unpack('>I7I5I5I7', kept)
      if up_to_micros(full_at - clock, parts) > peak then -- the clock stepped back
        full_at, parts, changed = clock + peak, 0, true
      end
      micros = full_at - clock
      if micros < 0 then
        micros, parts, peak = 0, 0, 0
      end
    elseif kept == nil then
      return nil
    end
    return {
      key = key, window = window, micros = micros, parts = parts, divisor = divisor, peak = peak, changed = changed
    }
  end,

  remaining = function(state, max, capacity)
    if state.micros == 0 and state.parts == 0 then
      return capacity
    end
    local micros, parts, whole_micros, whole_parts = missing_and_whole(state, max, capacity)
    micros, parts = whole_micros - micros, whole_parts - parts
    if parts < 0 then
      micros, parts = micros - 1, parts + max
    end
    if micros < 0 then
      return 0
    end
    local whole, rest = divide(micros, max, state.window)
    rest = rest + parts
    return whole + (rest - rest % state.window) / state.window
  end,

  take = function(state, max, capacity, cost)
    local micros, parts = divide(cost, state.window, max)
    local missing_micros, missing_parts = in_parts_of(state, max)
    micros, parts = missing_micros + micros, missing_parts + parts
    if parts >= max then
      micros, parts = micros + 1, parts - max
    end
    state.micros, state.parts, state.divisor = micros, parts, max
    local missing = up_to_micros(micros, parts)
    if state.peak < missing then
      state.peak = missing
    end
  end,

  give_back = function(state, max, capacity, cost, taken_at)
    local micros, parts = divide(cost, state.window, max)
    local worth = clock > taken_at and micros - (clock - taken_at) or micros
    if worth < 0 then
      return false
    end
    local peak = state.peak - up_to_micros(worth, parts)
    local missing_micros, missing_parts = in_parts_of(state, max)
    micros, parts = missing_micros - worth, missing_parts - parts
    if parts < 0 then
      micros, parts = micros - 1, parts + max
    end
    if micros < 0 or micros == 0 and parts == 0 then
      micros, parts, peak = 0, 0, 0
    end
    local missing = up_to_micros(micros, parts)
    state.micros, state.parts, state.divisor, state.peak = micros, parts, max, peak > missing and peak or missing
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local micros, parts, whole_micros, whole_parts = missing_and_whole(state, max, capacity)
    local cost_micros, cost_parts = divide(cost, state.window, max)
    micros, parts = micros + ahead + cost_micros - whole_micros, parts + cost_parts - whole_parts
    if parts > 0 then
      micros = micros + (parts > max and 2 or 1)
    end
    return micros > 0 and micros or 0
  end,

  reset_after = function(state, max, capacity)
    return (up_to_micros(missing_and_whole(state, max, capacity)))
  end,

  lasts = function(state)
    return up_to_micros(state.micros, state.parts)
  end,

  load = function(state, max, cost)
    return up_to_micros(divide(cost, state.window, max))
  end,

  close = function(state, ttl)
    call('PSETEX', state.key, ttl, pack('>I7I5I5I7', clock + state.micros, state.parts, state.divisor, state.peak))
  end
}
