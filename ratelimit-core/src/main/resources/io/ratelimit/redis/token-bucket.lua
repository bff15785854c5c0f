-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.algorithm.TokenBucket, which explains it.
-- Leaves one string a subject, 24 bytes: the time at which the bucket is full again in µs (7), the rest of it in parts of
-- a µs (5), how many parts make a µs (5), and the most that was missing since the bucket was last full, in µs (7). With a
-- debt 31: also the largest debt since then, in µs (7). If something was given back 38: also the time at which that is
-- forgotten, in µs (7).
-- TTL: until the bucket is full and what it gave back is forgotten.

local FORGETS, ROUNDED_MICROS = 2, 2

local function rounded_up(whole, rest)
  return rest > 0 and whole + 1 or whole
end

-- Returns what is missing in parts of max. Parts that were written under another max are rounded up to a whole µs.
local function in_parts_of(state, max)
  if state.parts > 0 and state.divisor ~= max then
    return state.micros + 1, 0
  end
  return state.micros, state.parts
end

-- Returns true if more than a whole bucket may have been missing, a little early, because it compares without dividing.
local function may_exceed(state, max, capacity)
  return state.peak * max > 0.999 * capacity * state.window
end

-- Returns what is missing under these numbers, what a whole bucket is worth, and whether the bucket has been full since more
-- than that was missing.
local function missing_and_whole(state, max, capacity)
  local full_since = false
  local micros, parts = in_parts_of(state, max)
  local whole_micros, whole_parts = state.window, 0
  if capacity ~= max then
    whole_micros, whole_parts = divide(capacity, state.window, max)
  end
  if state.peak > rounded_up(whole_micros, whole_parts) + state.debt then
    micros, parts = micros - state.peak + whole_micros + state.debt, parts + whole_parts
    if parts >= max then
      micros, parts = micros + 1, parts - max
    end
    if micros < 0 then
      micros, parts, full_since = 0, 0, true
    end
  end
  return micros, parts, whole_micros, whole_parts, full_since
end

-- Ends what does not count under these numbers, if their bucket has been full since. Rounds up what is missing so that
-- their bucket is exactly full.
local function lower_peak(state, max, capacity)
  local _, _, whole_micros, whole_parts, full_since = missing_and_whole(state, max, capacity)
  if full_since then
    local parts = whole_parts > 0 and max - whole_parts or 0
    local missing_micros, missing_parts = in_parts_of(state, max)
    local micros = missing_parts > parts and missing_micros + 1 or missing_micros
    if micros == 0 and parts > 0 then
      micros = 1 -- less than 1 µs would not exceed the bucket, and count
    end
    state.micros, state.parts, state.divisor = micros, parts, max
    state.peak = rounded_up(micros + whole_micros + state.debt, parts)
  end
end

local function take(state, max, capacity, cost)
  if may_exceed(state, max, capacity) then
    lower_peak(state, max, capacity)
  end
  local micros, parts = divide(cost, state.window, max)
  local missing_micros, missing_parts = in_parts_of(state, max)
  micros, parts = missing_micros + micros, missing_parts + parts
  if parts >= max then
    micros, parts = micros + 1, parts - max
  end
  state.micros, state.parts, state.divisor = micros, parts, max
  local missing = rounded_up(micros, parts)
  if state.peak < missing then
    state.peak = missing
  end
end

algorithms['token-bucket'] = {
  open = function(key, window)
    local micros, parts, divisor, peak, debt, given_back, changed = 0, 0, 1, 0, 0, 0, false
    local kept = read(key)
    if kept then
      local full_at
      if #kept == 24 then
        full_at, parts, divisor, peak = unpack('>I7I5I5I7', kept)
      elseif #kept == 31 then
        full_at, parts, divisor, peak, debt = unpack('>I7I5I5I7I7', kept)
      elseif #kept == 38 then
        full_at, parts, divisor, peak, debt, given_back = unpack('>I7I5I5I7I7I7', kept)
        given_back = given_back > clock and given_back - clock or 0
      else
        return nil
      end
      if full_at > 2 ^ 53 then -- not a time: a foreign value
        return nil
      end
      if rounded_up(full_at - clock, parts) > peak then -- the clock stepped back
        full_at, parts, changed = clock + peak, 0, true
      end
      micros = full_at - clock
      if micros < 0 then
        micros, parts, peak, debt = 0, 0, 0, 0
      end
    elseif kept == nil then
      return nil
    end
    return {
      key = key, window = window, micros = micros, parts = parts, divisor = divisor, peak = peak, debt = debt,
      given_back = given_back, changed = changed
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

  take = take,

  settle = function(state, max, capacity, more, taken_at, reset_after)
    local missing, missing_rest, whole, whole_rest = missing_and_whole(state, max, capacity)
    missing, whole = rounded_up(missing, missing_rest), rounded_up(whole, whole_rest)
    local largest_debt = whole > state.window and whole or state.window
    if more > 0 then
      local room = whole + largest_debt - missing
      local most = room > 0 and rounded_up(divide(room, max, state.window)) or 0
      local explained = state.peak > whole + state.debt and state.peak or whole + state.debt
      take(state, max, capacity, more < most and more or most)
      if state.peak > explained then
        state.debt = state.debt + state.peak - explained
      end
      return true
    end

    local micros, parts = divide(-more, state.window, max)
    local since = clock > taken_at and clock - taken_at or 0
    local missing_then = math.min(reset_after, state.window) - ROUNDED_MICROS
    local keeps = missing_then - FORGETS * (state.given_back + since)
    local worth = math.min(micros, math.max(micros, keeps) - since)
    if worth < 0 or state.debt >= largest_debt and missing > whole then
      return false
    end
    local most = rounded_up(divide(state.window, 1, FORGETS))
    state.given_back = math.min(state.given_back + rounded_up(divide(worth + 1, 1, FORGETS)), most)
    local peak = state.peak - rounded_up(worth, parts)
    local missing_micros, missing_parts = in_parts_of(state, max)
    micros, parts = missing_micros - worth, missing_parts - parts
    if parts < 0 then
      micros, parts = micros - 1, parts + max
    end
    if micros < 0 or micros == 0 and parts == 0 then
      micros, parts, peak, state.debt = 0, 0, 0, 0
    end
    missing = rounded_up(micros, parts)
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
    if may_exceed(state, max, capacity) then
      return (rounded_up(missing_and_whole(state, max, capacity)))
    end
    return (rounded_up(in_parts_of(state, max)))
  end,

  lasts = function(state)
    local micros = rounded_up(state.micros, state.parts)
    return state.given_back > micros and state.given_back or micros
  end,

  load = function(state, max, cost)
    return rounded_up(divide(cost, state.window, max))
  end,

  close = function(state, ttl)
    local kept
    if state.given_back > 0 then
      kept = pack('>I7I5I5I7I7I7', clock + state.micros, state.parts, state.divisor, state.peak, state.debt,
        clock + state.given_back)
    elseif state.debt == 0 then
      kept = pack('>I7I5I5I7', clock + state.micros, state.parts, state.divisor, state.peak)
    else
      kept = pack('>I7I5I5I7I7', clock + state.micros, state.parts, state.divisor, state.peak, state.debt)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
