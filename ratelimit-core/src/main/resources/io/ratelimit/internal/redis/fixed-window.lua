-- At most max in each window of the clock, or in each period of a calendar. Twin of
-- io.ratelimit.internal.algorithm.FixedWindow, which explains `held`.
-- Leaves one string a subject, 13 bytes: the start of the window (7), and the sum of the costs in it (6). After the clock
-- stepped back over a boundary 26: also the sum that is held (6), and the time until which it is held (7). TTL: until
-- nothing counts.
local function until_sum_is_at_most(state, most)
  if state.used + state.held <= most then
    return 0
  end
  local free_at = state.start + state.window
  if state.used <= most or state.held_until > free_at then
    free_at = state.held_until
  end
  return free_at - clock
end

local function until_reset(state)
  return until_sum_is_at_most(state, 0)
end

-- Returns the state in the window of that start and length. Other windows may start so many µs apart, or multiples of that.
local function state_in_window(key, start, window, apart)
  local used, held, held_until, changed = 0, 0, 0, false
  local kept = read(key)
  if kept then
    local kept_start
    if #kept == 13 then
      kept_start, used = unpack('>I7I6', kept)
    elseif #kept == 26 then
      kept_start, used, held, held_until = unpack('>I7I6I6I7', kept)
    else
      return nil
    end
    if kept_start > MOST_EXACT or kept_start % apart ~= 0 or held_until > MOST_EXACT or used + held > MOST_OWED then
      return nil
    end
    local longest = kept_start < start and start + window - 1 or clock + window
    if kept_start > start then -- the clock stepped back over a boundary
      used, held, held_until, changed = used + held, 0, clock + window, true
    elseif held_until > longest then -- the clock stepped back further, or this window of a calendar is shorter
      held_until, changed = longest, true
    end
    if held_until <= clock then
      held, held_until = 0, 0
      if kept_start < start then
        used = 0
      end
    elseif kept_start < start then
      used, held = 0, used
    end
  elseif kept == nil then
    return nil
  end
  return {
    key = key, window = window, start = start, used = used, held = held, held_until = held_until, changed = changed
  }
end

algorithms['fixed-window'] = {
  open = function(key, window)
    return state_in_window(key, clock - clock % window, window, window)
  end,

  remaining = function(state, max)
    local left = max - state.used - state.held
    return left > 0 and left or 0
  end,

  take = function(state, max, capacity, cost)
    state.used = state.used + cost
  end,

  settle = function(state, max, capacity, more, taken_at)
    if more > 0 then
      local room = MOST_OWED - state.used - state.held
      state.used = state.used + (more < room and more or room)
      return true
    elseif taken_at < state.start or taken_at > clock or state.held_until >= state.start + state.window then
      return false
    elseif state.held > 0 then
      state.held = state.held > -more and state.held + more or 0
    else
      state.used = state.used > -more and state.used + more or 0
    end
    if state.used + state.held == 0 then
      state.held_until = 0
    end
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    return until_sum_is_at_most(state, max - ahead - cost)
  end,

  reset_after = until_reset,
  lasts = until_reset,

  close = function(state, ttl)
    local kept
    if state.held_until == 0 then
      kept = pack('>I7I6', state.start, state.used)
    else
      kept = pack('>I7I6I6I7', state.start, state.used, state.held, state.held_until)
    end
    call('PSETEX', state.key, ttl, kept)
  end
}
