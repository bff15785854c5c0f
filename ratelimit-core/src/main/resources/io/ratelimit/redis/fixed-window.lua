-- At most max in each window of the clock. Twin of io.ratelimit.algorithm.FixedWindow.
-- Leaves one string a subject, 12 bytes: the newest time seen (7), and the sum of the costs in its window (5).
-- TTL: the rest of the window.
algorithms['fixed-window'] = {
  open = function(key, max, window)
    local now, used = clock, 0
    local kept = redis.call('GET', key)
    if kept then
      local newest
      newest, used = struct.unpack('>I7I5', kept)
      now = math.max(clock, newest)
      if newest < now - now % window then
        used = 0
      end
    end
    return {max = max, now = now, used = used, start = now - now % window, ends = now - now % window + window}
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
    state.used = math.max(0, state.used - cost)
    return true
  end,

  status = function(state)
    return math.max(0, state.max - state.used), state.used == 0 and 0 or state.ends - state.now
  end,

  close = function(key, state, ttl)
    redis.call('SET', key, struct.pack('>I7I5', state.now, state.used), 'PX', ttl)
  end
}
