-- At most max in each window of the clock. Twin of io.ratelimit.algorithm.FixedWindow.
-- Leaves one string a subject, 12 bytes: the newest time seen (7), and the sum of the costs in its window (5).
-- TTL: the rest of the window.
local function left_of(limit, used)
  return used < limit.max and limit.max - used or 0
end

local function rest_of_window(state)
  return state.limit.window - state.now % state.limit.window
end

algorithms['fixed-window'] = {
  open = function(limit, key)
    local now, used = clock, 0
    local kept = call('GET', key)
    if kept then
      local newest
      newest, used = unpack('>I7I5', kept)
      if newest > now then
        now = newest
      end
      if newest < now - now % limit.window then
        used = 0
      end
    end
    return {limit = limit, key = key, remaining = left_of(limit, used), changed = false, now = now, used = used}
  end,

  take = function(state, cost)
    state.used = state.used + cost
  end,

  give_back = function(state, cost, taken_at)
    if taken_at < state.now - state.now % state.limit.window then
      return false
    end
    state.used = state.used > cost and state.used - cost or 0
    state.remaining = left_of(state.limit, state.used)
    return true
  end,

  retry_after = rest_of_window,

  reset_after = function(state)
    return state.used == 0 and 0 or rest_of_window(state)
  end,

  close = function(state, ttl)
    call('PSETEX', state.key, ttl, pack('>I7I5', state.now, state.used))
  end
}
