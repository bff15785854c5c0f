-- At most max by a weighted estimate of the last window. Twin of io.ratelimit.algorithm.SlidingWindowCounter.
-- Leaves one string a subject, 17 bytes: the newest time seen (7), and the sums of the costs in the window before its
-- window (5) and in its window (5). TTL: until the estimate is 0.

-- The largest rest of a window with floor(count * rest / window) at most most; the whole window if every rest is.
local function left_when_share_is_at_most(most, count, window)
  if count <= most then
    return window
  end
  local quotient, rest = divide(most + 1, window, count)
  return rest == 0 and quotient - 1 or quotient
end

local function estimate(limit, now, previous, current)
  return (divide(previous, limit.window - now % limit.window, limit.window)) + current
end

local function left_by_estimate(limit, now, previous, current)
  local used = estimate(limit, now, previous, current)
  return used < limit.max and limit.max - used or 0
end

local function until_used_is_at_most(state, most)
  local window = state.limit.window
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

algorithms['sliding-window-counter'] = {
  open = function(limit, key)
    local now, previous, current = clock, 0, 0
    local kept = call('GET', key)
    if kept then
      local newest
      newest, previous, current = unpack('>I7I5I5', kept)
      if newest > now then
        now = newest
      end
      local windows = ((now - now % limit.window) - (newest - newest % limit.window)) / limit.window
      if windows == 1 then
        previous, current = current, 0
      elseif windows > 1 then
        previous, current = 0, 0
      end
    end
    return {
      limit = limit, key = key, remaining = left_by_estimate(limit, now, previous, current), changed = false,
      now = now, previous = previous, current = current
    }
  end,

  take = function(state, cost)
    state.current = state.current + cost
  end,

  give_back = function(state, cost, taken_at)
    local start = state.now - state.now % state.limit.window
    if taken_at >= start then
      state.current = state.current > cost and state.current - cost or 0
    elseif taken_at >= start - state.limit.window then
      state.previous = state.previous > cost and state.previous - cost or 0
    else
      return false
    end
    state.remaining = left_by_estimate(state.limit, state.now, state.previous, state.current)
    return true
  end,

  retry_after = function(state, cost)
    return until_used_is_at_most(state, state.limit.max - cost)
  end,

  reset_after = function(state)
    local used = estimate(state.limit, state.now, state.previous, state.current)
    return used == 0 and 0 or until_used_is_at_most(state, 0)
  end,

  close = function(state, ttl)
    call('PSETEX', state.key, ttl, pack('>I7I5I5', state.now, state.previous, state.current))
  end
}
