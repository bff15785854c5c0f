-- At most max by a weighted estimate of the last window. Twin of io.ratelimit.internal.algorithm.SlidingWindowCounter.
-- Leaves one string a subject, 19 bytes: the newest time seen (7), and the sums of the costs in the window before its
-- window (6) and in its window (6). After the clock stepped back 26: also by how much its time is ahead of the clock (7).
-- TTL: until the estimate is 0; while its time is ahead of the clock, until neither of the two windows matters.

local function estimate(state)
  local window = state.window
  return (divide(state.previous, window - state.now % window, window)) + state.current
end

local function until_used_is_at_most(state, most)
  local window = state.window
  local left = window - state.now % window
  if state.current <= most then
    local left_when_free = left_when_share_is_at_most(most - state.current, state.previous, window)
    if left_when_free >= 1 then
      return left - left_when_free
    end
  end
  local waited = window - left_when_share_is_at_most(most, state.current, window)
  return waited > 0 and left + waited or left
end

local function until_reset(state)
  return state.used == 0 and 0 or until_used_is_at_most(state, 0)
end

algorithms['sliding-window-counter'] = {
  open = function(key, window)
    local now, previous, current, ahead_by, changed = clock, 0, 0, 0, false
    local kept = read(key)
    if kept then
      local newest
      if #kept == 19 then
        newest, previous, current = unpack('>I7I6I6', kept)
      elseif #kept == 26 then
        newest, previous, current, ahead_by = unpack('>I7I6I6I7', kept)
        now = clock + ahead_by
      else
        return nil
      end
      if newest > MOST_EXACT or ahead_by > newest or previous > MOST_OWED or current > MOST_OWED then
        return nil
      end
      if newest > now then -- the clock stepped back
        now, ahead_by, changed = newest, newest - clock, true
      end
      local windows = ((now - now % window) - (newest - newest % window)) / window
      if windows == 1 then
        previous, current = current, 0
      elseif windows > 1 then
        now, previous, current, ahead_by = clock, 0, 0, 0
      end
    elseif kept == nil then
      return nil
    end
    local state = {
      key = key, window = window, now = now, previous = previous, current = current, ahead_by = ahead_by,
      changed = changed, used = 0
    }
    state.used = estimate(state)
    return state
  end,

  remaining = function(state, max)
    return state.used < max and max - state.used or 0
  end,

  take = function(state, max, capacity, cost)
    state.current, state.used = state.current + cost, state.used + cost
  end,

  settle = function(state, max, capacity, more, taken_at)
    local start = state.now - state.now % state.window
    if more > 0 then
      local room = MOST_OWED - state.current
      state.current = state.current + (more < room and more or room)
    elseif state.used == 0 or taken_at > state.now then
      return false
    elseif taken_at >= start then
      state.current = state.current > -more and state.current + more or 0
    elseif taken_at >= start - state.window then
      state.previous = state.previous > -more and state.previous + more or 0
    else
      return false
    end
    state.used = estimate(state)
    if state.used == 0 and (state.ahead_by == 0 or state.previous == 0) then
      state.previous, state.ahead_by, state.now = 0, 0, clock
    end
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local most = max - ahead - cost
    return state.used <= most and 0 or until_used_is_at_most(state, most)
  end,

  reset_after = until_reset,

  lasts = function(state)
    return state.ahead_by == 0 and until_reset(state) or 2 * state.window - state.now % state.window
  end,

  close = function(state, ttl)
    local kept
    if state.ahead_by == 0 then
      kept = pack('>I7I6I6', state.now, state.previous, state.current)
    else
      kept = pack('>I7I6I6I7', state.now, state.previous, state.current, state.ahead_by)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
