-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.internal.algorithm.TokenBucket, which explains it.
-- Leaves one string a subject, 23 bytes: the time of the last change in µs (7), the tokens that were missing then (5), the
-- rest of a token in parts of which a window in µs makes one (6), and the max that wrote it (5). If something was given
-- back, and while more is missing than the writer counts or than its bucket holds, 52: the tokens take a byte more, and then
-- follow in how much time what was given back was forgotten then, in µs (6), the capacity that wrote it (5), the tokens
-- missing from larger buckets (6), the rest of one (6), and the fastest max since the bucket was last full (5).
-- TTL: until the bucket is full and what it gave back is forgotten.

local FORGETS, ROUNDED_MICROS = 2, 2

local function refilled(state, tokens, rest, rate)
  if state.since == 0 or tokens == 0 and rest == 0 then
    return tokens, rest
  end
  local whole, part = divide(state.since, rate, state.window)
  return minus(tokens, rest, whole, part, state.window)
end

-- Returns in how many µs so much is refilled.
local function micros_of(state, tokens, rest, rate)
  local micros, parts = divide(tokens, state.window, rate)
  return micros + math.ceil((parts + rest) / rate)
end

-- Returns the time until the bucket is full for all numbers.
local function until_full(state)
  if not state.full_in then
    local micros = micros_of(state, state.missing, state.rest, state.rate)
    if not state.is_plain then
      micros = math.max(micros, micros_of(state, state.all, state.all_rest, state.fastest))
    end
    state.full_in = math.max(0, micros - state.since)
  end
  return state.full_in
end

-- Returns true if what is missing under these numbers is refilled at a slower rate than that by which it is kept.
local function outlives(state, max, capacity)
  return max < (capacity > state.capacity and state.fastest or state.rate)
end

-- Returns what is missing under these numbers: the tokens and the rest of one.
local function missing(state, max, capacity)
  if state.found_max == max and state.found_capacity == capacity then
    return state.found, state.found_rest
  end
  local tokens, rest = state.missing, state.rest
  if capacity > state.capacity then
    tokens, rest = state.all, state.all_rest
  end
  if tokens >= capacity then -- at most a whole bucket and the debt
    local debt, debt_rest, largest = state.missing - state.capacity, state.rest, math.max(max, capacity)
    if debt < 0 or debt >= largest then
      debt, debt_rest = debt < 0 and 0 or largest, 0
    end
    if exceeds(tokens, rest, capacity + debt, debt_rest) then
      tokens, rest = capacity + debt, debt_rest
    end
  end
  tokens, rest = refilled(state, tokens, rest, max)
  if outlives(state, max, capacity) and until_full(state) == 0 then
    tokens, rest = 0, 0
  end
  state.found_max, state.found_capacity, state.found, state.found_rest = max, capacity, tokens, rest
  return tokens, rest
end

-- Returns what is missing from the largest bucket, if so much is under these numbers.
local function all_missing(state, max, capacity, tokens, rest)
  if not state.is_plain or state.missing >= capacity then
    local all, all_rest = refilled(state, state.all, state.all_rest, math.max(max, state.fastest))
    if exceeds(all, all_rest, tokens, rest) then
      return all, all_rest
    end
  end
  return tokens, rest
end

local function refill_micros(state, max, capacity, tokens, rest)
  local micros = micros_of(state, tokens, rest, max)
  return outlives(state, max, capacity) and math.min(micros, until_full(state)) or micros
end

local function change(state, max, capacity, tokens, rest, all, all_rest)
  local is_more = exceeds(all, all_rest, tokens, rest)
  state.capacity, state.is_plain = capacity, not is_more and not exceeds(tokens, rest, capacity, 0)
  state.missing, state.rest, state.rate = tokens, rest, max
  state.all, state.all_rest, state.fastest = all, all_rest, is_more and math.max(max, state.fastest) or max
  state.since, state.full_in, state.found_max = 0, nil, nil
end

algorithms['token-bucket'] = {
  open = function(key, window)
    local changed_at, tokens, rest, rate, given_back, changed = clock, 0, 0, 1, 0, false
    local is_plain, capacity, all, all_rest, fastest = true, math.huge, 0, 0, 1
    local kept = read(key)
    if kept then
      if #kept == 23 then
        changed_at, tokens, rest, rate = unpack('>I7I5I6I5', kept)
        all, all_rest, fastest = tokens, rest, rate
      elseif #kept == 52 then
        is_plain = false
        changed_at, tokens, rest, rate, given_back, capacity, all, all_rest, fastest = unpack('>I7I6I6I5I6I5I6I6I5', kept)
      else
        return nil
      end
      if changed_at > 2 ^ 53 or rest >= window or rate == 0 or all_rest >= window or fastest < rate
        or given_back > window then
        return nil -- no time, no rest of a token, no rate: a foreign value
      end
      if changed_at > clock then -- the clock stepped back
        changed_at, changed = clock, true
      end
    elseif kept == nil then
      return nil
    end
    local since = clock - changed_at
    return {
      key = key, window = window, since = since, missing = tokens, rest = rest, rate = rate, is_plain = is_plain,
      capacity = capacity, all = all, all_rest = all_rest, fastest = fastest,
      given_back = given_back > since and given_back - since or 0, changed = changed
    }
  end,

  remaining = function(state, max, capacity)
    local tokens, rest = missing(state, max, capacity)
    local left = rest > 0 and capacity - tokens - 1 or capacity - tokens
    return left > 0 and left or 0
  end,

  -- Several charges of one call may exceed the bucket by the slower numbers of one of them; then it is empty.
  take = function(state, max, capacity, cost)
    local tokens, rest = missing(state, max, capacity)
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    tokens = tokens + cost
    if tokens >= capacity then
      tokens, rest = capacity, 0
    end
    change(state, max, capacity, tokens, rest, all + cost, all_rest)
  end,

  settle = function(state, max, capacity, more, taken_at, reset_after)
    local window, since = state.window, clock > taken_at and clock - taken_at or 0
    local tokens, rest = missing(state, max, capacity)
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    local largest = capacity + math.max(max, capacity)
    if more > 0 then
      local added = math.min(more, largest - tokens)
      change(state, max, capacity, tokens + added, rest, all + added, all_rest)
      return true
    end

    local refills, part = divide(since, max, window)
    local largest_now, largest_rest = minus(largest, 0, refills, part, window)
    if exceeds(tokens, rest, capacity, 0) and not exceeds(largest_now, largest_rest, tokens, rest) then
      return false
    end
    local worth = divide(-more, window, max)
    local missing_then = math.min(reset_after, window) - ROUNDED_MICROS
    local keeps = missing_then - FORGETS * (state.given_back + since)
    local lost = math.max(0, since - math.max(0, keeps - worth))
    refills, part = divide(lost, math.max(max, state.fastest), window)
    local given, given_rest = minus(-more, 0, refills, part, window)
    if given == 0 and given_rest == 0 then
      return false
    end
    tokens, rest = minus(tokens, rest, given, given_rest, window)
    all, all_rest = minus(all, all_rest, given, given_rest, window)
    change(state, max, capacity, tokens, rest, all, all_rest)
    state.given_back = math.min(state.given_back + math.ceil((worth - lost + 1) / FORGETS), math.ceil(window / FORGETS))
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local tokens, rest = missing(state, max, capacity)
    tokens = tokens + ahead + cost - capacity
    return exceeds(tokens, rest, 0, 0) and refill_micros(state, max, capacity, tokens, rest) or 0
  end,

  reset_after = function(state, max, capacity)
    local tokens, rest = missing(state, max, capacity)
    if state.since == 0 and max == state.rate and tokens == state.all and rest == state.all_rest then
      return until_full(state) -- which is also the TTL
    end
    return refill_micros(state, max, capacity, tokens, rest)
  end,

  lasts = function(state)
    return math.max(state.given_back, until_full(state))
  end,

  close = function(state, ttl)
    local kept
    if state.is_plain and state.given_back == 0 then
      kept = pack('>I7I5I6I5', clock, state.missing, state.rest, state.rate)
    else
      kept = pack('>I7I6I6I5I6I5I6I6I5', clock, state.missing, state.rest, state.rate, state.given_back,
        state.capacity, state.all, state.all_rest, state.fastest)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
