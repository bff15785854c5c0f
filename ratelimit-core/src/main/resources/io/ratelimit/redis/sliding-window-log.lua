-- At most max in any window that ends now. Twin of io.ratelimit.algorithm.SlidingWindowLog.
-- Leaves one list a subject: for each admission its time and the running total of all costs up to it, two elements, the
-- oldest first. The first pair may be one that has left the window, kept for its total. TTL: until the newest leaves.

-- How many of the pairs have at field (0: time, 1: total) a value of at most bound. The first few are read at one go,
-- for in the steady state the answer is there; beyond them the list is searched by halves.
local function pairs_up_to(key, size, field, bound)
  local few = redis.call('LRANGE', key, 0, 7)
  for i = 0, #few / 2 - 1 do
    if tonumber(few[2 * i + 1 + field]) > bound then
      return i
    end
  end
  local low, high = #few / 2, size
  while low < high do
    local middle = floor((low + high) / 2)
    if tonumber(redis.call('LINDEX', key, 2 * middle + field)) > bound then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

algorithms['sliding-window-log'] = {
  open = function(key, max, window)
    local state = {
      key = key, max = max, window = window, now = clock, size = redis.call('LLEN', key) / 2, gone = 0, base = 0, total = 0
    }
    if state.size > 0 then
      local newest = redis.call('LRANGE', key, -2, -1)
      state.newest, state.total = tonumber(newest[1]), tonumber(newest[2])
      state.now = math.max(clock, state.newest)
      state.gone = pairs_up_to(key, state.size, 0, state.now - window)
      if state.gone > 0 then
        state.base = tonumber(redis.call('LINDEX', key, 2 * state.gone - 1))
      end
    end
    return state
  end,

  retry_after = function(state, cost)
    local must_leave = state.total - state.base + cost - state.max
    if must_leave <= 0 then
      return 0
    end
    local last = pairs_up_to(state.key, state.size, 1, state.base + must_leave - 1)
    local time = last < state.size and tonumber(redis.call('LINDEX', state.key, 2 * last)) or state.now
    return time + state.window - state.now
  end,

  take = function(state, cost)
    state.total = state.total + cost
    state.taken = true
  end,

  give_back = function(state, cost, taken_at)
    if taken_at <= state.now - state.window then
      return false
    end
    state.base = math.min(state.total, state.base + cost)
    state.based = true
    return true
  end,

  status = function(state)
    local used = state.total - state.base
    if used == 0 then
      return state.max, 0
    end
    return math.max(0, state.max - used), (state.taken and state.now or state.newest) + state.window - state.now
  end,

  close = function(key, state, ttl)
    if state.based then
      state.gone = pairs_up_to(key, state.size, 1, state.base)
      if state.gone == 0 then
        redis.call('LPUSH', key, state.base, 0)
        state.size = state.size + 1
      else
        redis.call('LSET', key, 2 * state.gone - 2, 0)
        redis.call('LSET', key, 2 * state.gone - 1, state.base)
      end
    end
    if state.gone > 1 then
      redis.call('LTRIM', key, 2 * state.gone - 2, -1)
    end
    if state.taken and state.newest == state.now and state.gone < state.size then
      redis.call('LSET', key, -1, state.total)
    elseif state.taken then
      redis.call('RPUSH', key, state.now, state.total)
    end
    redis.call('PEXPIRE', key, ttl)
  end
}
