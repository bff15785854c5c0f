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

local function counter_used(state)
  return (divide(state.previous, state.left, state.window)) + state.current
end

local function until_used_is_at_most(state, most)
  if state.current <= most then
    local left_when_free = left_when_share_is_at_most(most - state.current, state.previous, state.window)
    if left_when_free >= 1 then
      return state.left - left_when_free
    end
  end
  local waited = state.window - left_when_share_is_at_most(most, state.current, state.window)
  return waited > 0 and state.left + waited or state.left
end

algorithms['sliding-window-counter'] = {
  open = function(self, key, max, window)
    local now, previous, current = clock, 0, 0
    local kept = call('GET', key)
    if kept then
      local newest
      newest, previous, current = struct.unpack('>I7I5I5', kept)
      if newest > now then
        now = newest
      end
      local windows = ((now - now % window) - (newest - newest % window)) / window
      if windows == 1 then
        previous, current = current, 0
      elseif windows > 1 then
        previous, current = 0, 0
      end
    end
    return {
      max = max, window = window, now = now, left = window - now % window,
      previous = previous, current = current, algorithm = self, changed = false
    }
  end,

  retry_after = function(state, cost)
    local fits = state.max - cost
    return counter_used(state) <= fits and 0 or until_used_is_at_most(state, fits)
  end,

  take = function(state, cost)
    state.current = state.current + cost
  end,

  give_back = function(state, cost, taken_at)
    local start = state.now + state.left - state.window
    if taken_at >= start then
      state.current = state.current > cost and state.current - cost or 0
    elseif taken_at >= start - state.window then
      state.previous = state.previous > cost and state.previous - cost or 0
    else
      return false
    end
    return true
  end,

  status = function(state)
    local used = counter_used(state)
    local remaining = state.max - used
    return remaining > 0 and remaining or 0, used == 0 and 0 or until_used_is_at_most(state, 0)
  end,

  close = function(key, state, ttl)
    call('SET', key, struct.pack('>I7I5I5', state.now, state.previous, state.current), 'PX', ttl)
  end
}
