-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.internal.algorithm.TokenBucket, which explains it.
-- Leaves one string a subject, 23 bytes: the time of the last change in µs (7), the tokens that were missing then (5), the
-- rest of a token in parts of which a window in µs makes one (6), and the max that wrote it (5). If something was given
-- back, and while more is missing than the writer counts or than its bucket holds, 53: the tokens take a byte more, and then
-- follow in how much time what was given back refills, in µs, as far as that was remembered then (7), the capacity that wrote it (5), the tokens
-- missing from larger buckets (6), the rest of one (6), and the fastest max since the bucket was last full (5).
-- TTL: until the bucket is full and what it gave back is forgotten.

local ROUNDED_MICROS = 2

-- The most that is remembered of what was given back, which stands for any amount above it, too; and in what time it is
-- forgotten without a change, if a window is longer; both in µs.
local MOST_GIVEN_BACK, FORGETS = 2 ^ 51, 600000000

-- Is added to what was admitted if the answer says what was given back.
local GAVE_BACK = 2 ^ 31

-- No bucket takes longer to fill, in µs: two of the longest refills, one of which is of a debt.
local LONGEST = 2 * 36600 * 86400000000

-- Returns what is remembered of what was given back.
local function remembered(given_back, since, window)
  local forgets = math.min(window, FORGETS)
  if given_back == 0 or since >= forgets then
    return nil
  end
  local micros, rest = divide(given_back, forgets - since, forgets)
  return rest > 0 and micros + 1 or micros
end

-- What missing() found last: each function that decides on a charge asks for it.
local found_in, found_max, found_capacity, found, found_rest

-- Returns what is missing after the refill since the last change. Most is computed in parts, which are exact up to 2^53.
local function refilled(state, tokens, rest, rate)
  local since, window = state.since, state.window
  local parts = tokens * window + rest
  if since == 0 or parts == 0 then
    return tokens, rest
  elseif parts < 2 ^ 53 then
    parts = parts - since * rate
    if parts <= 0 then
      return 0, 0
    end
    rest = parts % window
    return (parts - rest) / window, rest
  end
  local whole, part = divide(since, rate, window)
  return minus(tokens, rest, whole, part, window)
end

-- Returns in how many µs so much is refilled.
local function micros_of(state, tokens, rest, rate)
  local parts = tokens * state.window + rest
  if parts < 2 ^ 52 then
    return (parts + -parts % rate) / rate
  end
  local micros, left = divide(tokens, state.window, rate)
  left = left + rest
  return micros + (left + -left % rate) / rate
end

-- Returns the time until the bucket is full for all numbers.
local function until_full(state)
  local full_in = state.full_in
  if not full_in then
    full_in = micros_of(state, state.missing, state.rest, state.rate)
    local beyond = state.beyond
    if beyond then
      full_in = math.max(full_in, micros_of(state, beyond.missing, beyond.rest, beyond.rate))
    end
    full_in = full_in > state.since and full_in - state.since or 0
    state.full_in = full_in
  end
  return full_in
end

-- Returns true if what is missing under these numbers is refilled at a slower rate than that by which it is kept.
local function outlives(state, max, capacity)
  local beyond = state.beyond
  return max < (beyond and capacity > beyond.capacity and beyond.rate or state.rate)
end

-- Returns at most a whole bucket and the debt.
local function at_most_whole(state, max, capacity, tokens, rest)
  local debt, debt_rest, largest = 0, 0, math.max(max, capacity)
  if state.beyond then
    debt, debt_rest = state.missing - state.beyond.capacity, state.rest
    if debt < 0 or debt >= largest then
      debt, debt_rest = debt < 0 and 0 or largest, 0
    end
  end
  if exceeds(tokens, rest, capacity + debt, debt_rest) then
    return capacity + debt, debt_rest
  end
  return tokens, rest
end

-- Returns what is missing under these numbers: the tokens and the rest of one.
local function missing(state, max, capacity)
  if found_in == state and found_max == max and found_capacity == capacity then
    return found, found_rest
  end
  local tokens, rest, beyond = state.missing, state.rest, state.beyond
  if beyond and capacity > beyond.capacity then
    tokens, rest = beyond.missing, beyond.rest
  end
  if tokens >= capacity then
    tokens, rest = at_most_whole(state, max, capacity, tokens, rest)
  end
  tokens, rest = refilled(state, tokens, rest, max)
  if (max < state.rate or beyond) and outlives(state, max, capacity) and until_full(state) == 0 then
    tokens, rest = 0, 0
  end
  found_in, found_max, found_capacity, found, found_rest = state, max, capacity, tokens, rest
  return tokens, rest
end

-- Returns what is missing from the largest bucket, if so much is under these numbers.
local function all_missing(state, max, capacity, tokens, rest)
  local beyond = state.beyond
  if beyond or state.missing >= capacity then
    local kept = beyond or state
    local all, all_rest = refilled(state, kept.missing, kept.rest, math.max(max, kept.rate))
    if exceeds(all, all_rest, tokens, rest) then
      return all, all_rest
    end
  end
  return tokens, rest
end

local function refill_micros(state, max, capacity, tokens, rest)
  local micros = micros_of(state, tokens, rest, max)
  if max < state.rate or state.beyond then
    return outlives(state, max, capacity) and math.min(micros, until_full(state)) or micros
  end
  return micros
end

local function change(state, max, capacity, tokens, rest, all, all_rest)
  if all > MOST_OWED then
    all, all_rest = MOST_OWED, 0
  end
  local is_more, beyond = exceeds(all, all_rest, tokens, rest), nil
  if is_more or exceeds(tokens, rest, capacity, 0) or state.given_back then
    local fastest = state.beyond and state.beyond.rate or state.rate
    beyond = {capacity = capacity, missing = all, rest = all_rest, rate = is_more and math.max(max, fastest) or max}
  end
  state.missing, state.rest, state.rate, state.beyond = tokens, rest, max, beyond
  state.since, state.full_in, found_in = 0, false, nil
end

algorithms['token-bucket'] = {
  open = function(key, window)
    local changed_at, tokens, rest, rate, given_back, changed, beyond = clock, 0, 0, 1, 0, false, nil
    local kept = read(key)
    if kept then
      if #kept == 23 then
        changed_at, tokens, rest, rate = unpack('>I7I5I6I5', kept)
      elseif #kept == 53 then
        local capacity, all, all_rest, fastest
        changed_at, tokens, rest, rate, given_back, capacity, all, all_rest, fastest = unpack('>I7I6I6I5I7I5I6I6I5', kept)
        if all_rest >= window or fastest < rate or given_back > MOST_GIVEN_BACK then
          return nil
        end
        beyond = {capacity = capacity, missing = all, rest = all_rest, rate = fastest}
      else
        return nil
      end
      if changed_at > MOST_EXACT or rest >= window or rate == 0 or tokens * window > rate * LONGEST
        or beyond and beyond.missing > MOST_OWED then
        return nil -- no time, no rest of a token, no rate, or never full: a foreign value
      end
      if changed_at > clock then -- the clock stepped back
        changed_at, changed = clock, true
      end
    elseif kept == nil then
      return nil
    end
    local since = clock - changed_at
    local state = {
      key = key, window = window, since = since, missing = tokens, rest = rest, rate = rate, full_in = false,
      changed = changed
    }
    if beyond then
      state.beyond, state.given_back = beyond, remembered(given_back, since, window)
    end
    return state
  end,

  remaining = function(state, max, capacity)
    local tokens, rest = missing(state, max, capacity)
    local left = rest > 0 and capacity - tokens - 1 or capacity - tokens
    return left > 0 and left or 0
  end,

  -- Several charges of one call may exceed the bucket by the slower numbers of one of them; then it is empty.
  take = function(state, max, capacity, cost)
    local tokens, rest = missing(state, max, capacity)
    if not state.beyond and state.missing < capacity and tokens + cost < capacity then -- all there is to change
      tokens = tokens + cost
      state.missing, state.rest, state.rate, state.since, state.full_in = tokens, rest, max, 0, false
      found = tokens
      return
    end
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    tokens = tokens + cost
    if tokens >= capacity then
      tokens, rest = capacity, 0
    end
    change(state, max, capacity, tokens, rest, all + cost, all_rest)
  end,

  settle = function(state, max, capacity, more, taken_at, reset_after)
    local window, since = state.window, clock - taken_at
    local tokens, rest = missing(state, max, capacity)
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    local largest = capacity + math.max(max, capacity)
    if more > 0 then
      local added = math.min(more, largest - tokens)
      change(state, max, capacity, tokens + added, rest, all + added, all_rest)
      return true
    elseif since < 0 then -- the clock stepped back
      return false
    end

    local refills, part = divide(since, max, window)
    local largest_now, largest_rest = minus(largest, 0, refills, part, window)
    local is_full = all == 0 and all_rest == 0
    if is_full or exceeds(tokens, rest, capacity, 0) and not exceeds(largest_now, largest_rest, tokens, rest) then
      return false
    end
    local worth = divide(-more, window, max)
    local given_back, forgets, keeps = state.given_back or 0, math.min(window, FORGETS), 0
    if 2 * since <= forgets and given_back < MOST_GIVEN_BACK / 2 then
      local known, more_than_known = divide(given_back, forgets, forgets - since)
      keeps = reset_after - ROUNDED_MICROS - (more_than_known > 0 and known + 1 or known)
    end
    local lost = math.max(0, since - math.max(0, keeps - worth))
    refills, part = divide(lost, math.max(max, (state.beyond or state).rate), window)
    local given, given_rest = minus(-more, 0, refills, part, window)
    if given == 0 and given_rest == 0 then
      return false
    end
    tokens, rest = minus(tokens, rest, given, given_rest, window)
    all, all_rest = minus(all, all_rest, given, given_rest, window)
    state.given_back = math.min(given_back + worth - lost + 1, MOST_GIVEN_BACK)
    change(state, max, capacity, tokens, rest, all, all_rest)
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local tokens, rest = missing(state, max, capacity)
    tokens = tokens + ahead + cost - capacity
    return exceeds(tokens, rest, 0, 0) and refill_micros(state, max, capacity, tokens, rest) or 0
  end,

  reset_after = function(state, max, capacity)
    if state.since == 0 and max == state.rate and state.missing < capacity and not state.beyond then
      return until_full(state) -- which is also the TTL
    end
    local tokens, rest = missing(state, max, capacity)
    return refill_micros(state, max, capacity, tokens, rest)
  end,

  -- Returns the beginning of an answer that says what was given back; nil if there is nothing to say.
  answer = function(state, admitted, left, reset_after)
    local given_back = state.given_back
    return given_back and admitted < GAVE_BACK - 1
      and pack('>I4I8I8I8', admitted + GAVE_BACK, left, reset_after, given_back) or nil
  end,

  lasts = function(state)
    local full_in, forgets = state.full_in or until_full(state), math.min(state.window, FORGETS)
    return math.min(state.given_back and forgets > full_in and forgets or full_in, LONGEST)
  end,

  close = function(state, ttl)
    local kept, beyond = nil, state.beyond
    if beyond then
      kept = pack('>I7I6I6I5I7I5I6I6I5', clock, state.missing, state.rest, state.rate, state.given_back or 0,
        beyond.capacity, beyond.missing, beyond.rest, beyond.rate)
    else
      kept = pack('>I7I5I6I5', clock, state.missing, state.rest, state.rate)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
