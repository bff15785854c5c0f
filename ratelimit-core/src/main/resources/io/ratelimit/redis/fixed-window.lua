-- At most max in each window of the clock. Twin of io.ratelimit.algorithm.FixedWindow.
-- Leaves one string a subject, 12 bytes: the newest time seen (7), and the sum of the costs in its window (5).
-- TTL: the rest of the window.
algorithms['fixed-window'] = {
  open = function(self, key, max, window)
    local now, used = clock, 0
    local kept = call('GET', key)
    if kept then
      local newest
      newest, used = struct.unpack('>I7I5', kept)
      if newest > now then
        now = newest
      end
      if newest < now - now % window then
        used = 0
      end
    end
    local start = now - now % window
    return {max = max, now = now, start = start, ends = start + window, used = used, algorithm = self, changed = false}
  end,

  retry_after = function(state, cost)
    return state.used + cost <= state.max and 0 or state.ends - state.now
  end,

  take = function(state, cost)
    state.used = state.used + cost
  end,

  give_back = function(state, cost, taken_at)
    if taken_at < state.start then
      return false
    end
    state.used = state.used > cost and state.used - cost or 0
    return true
  end,

  status = function(state)
    local remaining = state.max - state.used
    return remaining > 0 and remaining or 0, state.used == 0 and 0 or state.ends - state.now
  end,

  close = function(key, state, ttl)
    call('SET', key, struct.pack('>I7I5', state.now, state.used), 'PX', ttl)
  end
}
