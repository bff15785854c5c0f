-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.internal.algorithm.TokenBucket, which explains it.
-- Leaves one string a subject, 23 bytes: the time of the last change in µs (7), the tokens that were missing then (5), the
-- rest of a token in parts of which a window in µs makes one (6), and the max that wrote it (5). While more is missing than the writer
-- counts or than its bucket holds, 46: the tokens take a byte more, and then follow the capacity that wrote it (5), the tokens
-- missing from larger buckets (6), the rest of one (6), and the fastest max since the bucket was last full (5).
-- While what was given back matters, what least-missing.lua writes follows these 46.
-- TTL: until the bucket is full and what it gave back is forgotten.

-- Is added to what was admitted if the answer says what was given back.
local GAVE_BACK = 2 ^ 31

-- No bucket takes longer to fill, in µs: two of the longest refills, one of which is of a debt.
local LONGEST = 2 * 36600 * 86400000000

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
  if is_more or exceeds(tokens, rest, capacity, 0) or state.lately then
    local fastest = state.beyond and state.beyond.rate or state.rate
    beyond = {capacity = capacity, missing = all, rest = all_rest, rate = is_more and math.max(max, fastest) or max}
  end
  state.missing, state.rest, state.rate, state.beyond = tokens, rest, max, beyond
  state.since, state.full_in, found_in = 0, false, nil
end

-- What is done with what was missing lately, made when it is needed first.
local made
local function lately_of()
  made = made or least_missing()
  return made
end

local function missing_micros(state, max, capacity)
  local tokens, rest = missing(state, max, capacity)
  return math.max(0, refill_micros(state, max, capacity, tokens, rest) - 1)
end

algorithms['token-bucket'] = {
  open = function(key, window)
    local changed_at, tokens, rest, rate, changed, beyond, lately = clock, 0, 0, 1, false, nil, nil
    local kept = read(key)
    if kept then
      if #kept == 23 then
        changed_at, tokens, rest, rate = unpack('>I7I5I6I5', kept)
      elseif #kept >= 46 then
        local capacity, all, all_rest, fastest
        changed_at, tokens, rest, rate, capacity, all, all_rest, fastest = unpack('>I7I6I6I5I5I6I6I5', kept)
        if #kept > 46 then
          lately = lately_of().read(kept, 47, changed_at)
        end
        if all_rest >= window or fastest < rate or #kept > 46 and not lately then
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
        if lately then
          lately_of().step_back(lately, changed_at)
        end
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
      state.beyond, state.lately = beyond, clock - changed_at < math.min(window, FORGETS) and lately or nil
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
    local lately = state.lately
    if lately then
      lately_of().note(lately, state.window, max, capacity, missing_micros(state, max, capacity))
    end
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    tokens = tokens + cost
    if tokens >= capacity then
      tokens, rest = capacity, 0
    end
    change(state, max, capacity, tokens, rest, all + cost, all_rest)
    if lately then
      lately_of().take(lately)
    end
  end,

  settle = function(state, max, capacity, more, taken_at, reset_after)
    local window, since = state.window, clock - taken_at
    local tokens, rest = missing(state, max, capacity)
    local all, all_rest = all_missing(state, max, capacity, tokens, rest)
    local largest = capacity + math.max(max, capacity)
    if more > 0 then
      local added, added_rest = more, 0
      local left, left_rest = minus(largest, 0, tokens, rest, window)
      if exceeds(added, 0, left, left_rest) then
        added, added_rest = left, left_rest
      end
      if state.lately then
        lately_of().note(state.lately, window, max, capacity, missing_micros(state, max, capacity))
      end
      tokens, rest = plus(tokens, rest, added, added_rest, window)
      all, all_rest = plus(all, all_rest, added, added_rest, window)
      change(state, max, capacity, tokens, rest, all, all_rest)
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
    local worth, more_than_worth = divide(-more, window, max)
    worth = more_than_worth > 0 and worth + 1 or worth
    local of, now_missing = lately_of(), missing_micros(state, max, capacity)
    local lately = state.lately or of.new(max, capacity)
    local left = math.max(worth - since, math.min(worth, now_missing, of.least(lately, window, max, capacity, taken_at, reset_after)))
    refills, part = divide(worth - left, math.max(max, (state.beyond or state).rate), window)
    local given, given_rest = minus(-more, 0, refills, part, window)
    if given == 0 and given_rest == 0 then
      return false
    end
    of.note(lately, window, max, capacity, now_missing)
    of.give_back(lately, taken_at, left)
    state.lately = lately
    tokens, rest = minus(tokens, rest, given, given_rest, window)
    all, all_rest = minus(all, all_rest, given, given_rest, window)
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
    local given_back = state.lately and state.lately.given_back or 0
    return given_back > 0 and admitted < GAVE_BACK - 1
      and pack('>I4I8I8I8', admitted + GAVE_BACK, left, reset_after, given_back) or nil
  end,

  lasts = function(state)
    local full_in, forgets = state.full_in or until_full(state), math.min(state.window, FORGETS)
    return math.min(state.lately and forgets > full_in and forgets or full_in, LONGEST)
  end,

  close = function(state, ttl)
    local kept, beyond = nil, state.beyond
    if beyond then
      kept = pack('>I7I6I6I5I5I6I6I5', clock, state.missing, state.rest, state.rate, beyond.capacity, beyond.missing,
        beyond.rest, beyond.rate)
      if state.lately then
        kept = kept .. lately_of().written(state.lately)
      end
    else
      kept = pack('>I7I5I6I5', clock, state.missing, state.rest, state.rate)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
