-- At most max in flight. Twin of io.ratelimit.internal.algorithm.Concurrency, which explains it.
-- Leaves one string a subject: the sum of the costs in flight (6), and 12 bytes a call in the order of time: when it was
-- admitted (7), and its cost (5). Calls of the same µs share an entry. TTL: until the newest call would have ended.
-- Checks the sum and the times of the first and the last call, not all between them: a foreign value there gives a wrong
-- answer, but one within bounds.
local HEADER, ENTRY = 6, 12
local RETRY = 1000000

local function call_at(state, index)
  return unpack('>I7I5', state.calls, ENTRY * index - ENTRY + 1)
end

-- Replaces the calls from one index to another by a string.
local function replace(state, from, to, by)
  state.calls = string.sub(state.calls, 1, ENTRY * from - ENTRY) .. by .. string.sub(state.calls, ENTRY * to + 1)
  state.count = state.count - (to - from + 1) + #by / ENTRY
end

local function until_reset(state)
  local left = state.count == 0 and 0 or call_at(state, state.count) + state.window - clock
  return math.max(0, math.min(left, state.window))
end

algorithms['concurrency'] = {
  settles_entries = true,

  open = function(key, window)
    local kept = read(key)
    if kept == nil or kept and (#kept < HEADER + ENTRY or (#kept - HEADER) % ENTRY ~= 0) then
      return nil
    end
    local state = {key = key, window = window, calls = '', count = 0, total = 0, changed = false}
    if kept then
      state.total, state.calls = unpack('>I6', kept), string.sub(kept, HEADER + 1)
      state.count = #state.calls / ENTRY
      local newest = call_at(state, state.count)
      if newest > MOST_EXACT or state.total > MOST_OWED then
        return nil
      end

      local ended, time, cost = 0, call_at(state, 1)
      while time <= clock - window do
        ended, state.total = ended + 1, state.total - cost
        if ended == state.count then
          break
        end
        time, cost = call_at(state, ended + 1)
      end
      replace(state, 1, ended, '')
      if state.total < state.count or state.count == 0 and state.total > 0 or state.count > 0 and newest < time then
        return nil
      end

      local later, sum = 0, 0
      while later < state.count do
        time, cost = call_at(state, state.count - later)
        if time < clock - 1 or time <= clock and later == 0 then
          break
        end
        later, sum = later + 1, sum + cost
      end
      if sum > state.total then
        return nil
      end
      if later > 0 then -- the clock stepped back
        replace(state, state.count - later + 1, state.count, pack('>I7I5', clock - 1, sum))
        state.changed = true
      end
    end
    return state
  end,

  remaining = function(state, max)
    return state.total < max and max - state.total or 0
  end,

  take = function(state, max, capacity, cost)
    state.total = state.total + cost
    local same = 0
    if state.count > 0 then
      local time, kept_cost = call_at(state, state.count)
      if time == clock then
        same, cost = 1, cost + kept_cost
      end
    end
    replace(state, state.count - same + 1, state.count, pack('>I7I5', clock, cost))
  end,

  -- most: 0 or, if an end of its entry is made again, one more than what may stay of that.
  -- own_alone: 1 if it must not free more than its own cost, because an end that takes away may be under way, and come later.
  settle = function(state, max, capacity, more, taken_at, most, own_alone)
    local left, last, changed = -more, state.count, false
    while last > 0 and call_at(state, last) > taken_at do
      last = last - 1
    end
    local index = last > 0 and call_at(state, last) < taken_at and 1 or last
    while last > 0 and left > 0 do
      local time, cost = call_at(state, index)
      if most > 0 then
        local too_many = time == taken_at and cost >= most and cost - most + 1 or 0
        left = own_alone == 1 and math.min(left, too_many) or too_many
      end
      local freed = left < cost and left or cost
      if freed > 0 then
        replace(state, index, index, freed < cost and pack('>I7I5', time, cost - freed) or '')
        state.total, changed = state.total > freed and state.total - freed or 0, true
      end
      left = most > 0 and 0 or left - freed
      last, index = last - 1, 1
    end
    return changed
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local must_leave, index, free_at = state.total + ahead + cost - max, 0, clock
    while must_leave > 0 and index < state.count do
      index = index + 1
      local time, kept_cost = call_at(state, index)
      must_leave, free_at = must_leave - kept_cost, time + state.window
    end
    local wait = must_leave > 0 and state.window or free_at - clock
    if wait < 0 or wait > state.window or wait == 0 and index > 0 then
      wait = state.window
    end
    return wait < RETRY and wait or RETRY
  end,

  reset_after = until_reset,
  lasts = until_reset,

  close = function(state, ttl)
    call('PSETEX', state.key, ttl, pack('>I6', state.total) .. state.calls)
  end
}
