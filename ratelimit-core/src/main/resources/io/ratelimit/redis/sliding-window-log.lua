-- At most max in any window that ends now. Twin of io.ratelimit.algorithm.SlidingWindowLog.
-- Leaves one list a subject: for each admission its time and the running total of all costs up to it, two elements, the
-- oldest first. The first pair may be one that has left the window, kept for its total. TTL: until the newest leaves.

-- How many of the pairs have at field (1: time, 2: total) a value of at most bound. The oldest few were read at the
-- start, for in the steady state the answer is among them; beyond them the list is searched by halves.
local function pairs_up_to(state, field, bound)
  local few = state.few
  for i = field, #few, 2 do
    if few[i] + 0 > bound then
      return (i - field) / 2
    end
  end
  local low, high = #few / 2, call('LLEN', state.key) / 2
  while low < high do
    local middle = (low + high - (low + high) % 2) / 2
    if call('LINDEX', state.key, 2 * middle + field - 1) + 0 > bound then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function element(state, index)
  return state.few[index] or call('LINDEX', state.key, index - 1)
end

algorithms['sliding-window-log'] = {
  open = function(self, key, max, window)
    local few = call('LRANGE', key, 0, 7)
    local state = {
      key = key, max = max, window = window, now = clock, few = few,
      newest = 0, total = 0, gone = 0, base = 0, taken = false, based = false, algorithm = self, changed = false
    }
    if few[1] then
      local newest = #few < 8 and {few[#few - 1], few[#few]} or call('LRANGE', key, -2, -1)
      state.newest, state.total = newest[1] + 0, newest[2] + 0
      if state.newest > clock then
        state.now = state.newest
      end
      state.gone = pairs_up_to(state, 1, state.now - window)
      if state.gone > 0 then
        state.base = element(state, 2 * state.gone) + 0
      end
    end
    return state
  end,

  retry_after = function(state, cost)
    local must_leave = state.total - state.base + cost - state.max
    if must_leave <= 0 then
      return 0
    end
    local last = pairs_up_to(state, 2, state.base + must_leave - 1)
    return (element(state, 2 * last + 1) or state.now) + state.window - state.now
  end,

  take = function(state, cost)
    state.total = state.total + cost
    state.taken = true
  end,

  give_back = function(state, cost, taken_at)
    if taken_at <= state.now - state.window then
      return false
    end
    local base = state.base + cost
    state.base = base < state.total and base or state.total
    state.based = true
    return true
  end,

  status = function(state)
    local used = state.total - state.base
    if used == 0 then
      return state.max, 0
    end
    local remaining = state.max - used
    local newest = state.taken and state.now or state.newest
    return remaining > 0 and remaining or 0, newest + state.window - state.now
  end,

  close = function(key, state, ttl)
    local newest = state.newest
    if state.based then
      state.gone = pairs_up_to(state, 2, state.base)
      if state.gone == 0 then
        call('LPUSH', key, state.base, 0)
      else
        call('LSET', key, 2 * state.gone - 2, 0)
        call('LSET', key, 2 * state.gone - 1, state.base)
        newest = call('LINDEX', key, -2) + 0
      end
    end
    if state.gone > 1 then
      call('LTRIM', key, 2 * state.gone - 2, -1)
    end
    if state.taken and newest == state.now then
      call('LSET', key, -1, state.total)
    elseif state.taken then
      call('RPUSH', key, state.now, state.total)
    end
    call('PEXPIRE', key, ttl)
  end
}
