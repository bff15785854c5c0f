-- At most max distinct elements in each window of the clock. Twin of io.ratelimit.internal.algorithm.UniqueCount.
-- Leaves one string a subject: the start of the window (7), by how much the key's time is ahead of the clock, which stepped
-- back (7), and the number of each element (7). TTL: until the end of the window.
local HEADER, ELEMENT = 14, 7

-- Returns whether the state has the element: at a whole number of elements, not across two of them.
local function is_known(state, element)
  local packed = pack('>I7', element)
  local at = string.find(state.elements, packed, 1, true)
  while at and (at - 1) % ELEMENT > 0 do
    at = string.find(state.elements, packed, at + 1, true)
  end
  return at ~= nil
end

local function until_reset(state)
  return state.elements == '' and 0 or state.start + state.window - state.now
end

algorithms['unique-count'] = {
  open = function(key, window)
    local kept = read(key)
    if kept == nil or kept and (#kept <= HEADER or #kept % ELEMENT > 0) then
      return nil
    end
    local now, start, ahead_by, elements, changed = clock, clock - clock % window, 0, '', false
    if kept then
      local kept_start
      kept_start, ahead_by = unpack('>I7I7', kept)
      if kept_start > MOST_EXACT or kept_start % window ~= 0 or ahead_by > MOST_EXACT then
        return nil
      end
      now = clock + ahead_by
      if kept_start > now then -- the clock stepped back
        now, ahead_by, changed = kept_start, kept_start - clock, true
      end
      if now - kept_start < window then
        start, elements = kept_start, string.sub(kept, HEADER + 1)
      else
        now, ahead_by = clock, 0
      end
    end
    return {
      key = key, window = window, now = now, start = start, ahead_by = ahead_by, elements = elements, changed = changed
    }
  end,

  remaining = function(state, max)
    local left = max - #state.elements / ELEMENT
    return left > 0 and left or 0
  end,

  take = function(state, max, capacity, element)
    if is_known(state, element) then
      return false
    end
    state.elements = state.elements .. pack('>I7', element)
  end,

  settle = function()
    return false
  end,

  retry_after = function(state, max, capacity, element)
    if #state.elements / ELEMENT < max or is_known(state, element) then
      return 0
    end
    return state.start + state.window - state.now
  end,

  reset_after = until_reset,
  lasts = until_reset,

  close = function(state, ttl)
    call('PSETEX', state.key, ttl, pack('>I7I7', state.start, state.ahead_by) .. state.elements)
  end
}
