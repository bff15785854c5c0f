-- At most max by an estimate of the last window, which has n parts, of which only the oldest is weighted. Twin of
-- io.ratelimit.internal.algorithm.SlidingWindowParts, which explains it. In place of the window a limit has a code of n and of
-- the length of a part in µs: see parts_of.
-- Leaves one string a subject: a header of 20 bytes, and n + 1 totals of 6 bytes, modulo 2^48.
--   header: the newest time seen (7), by how much it is ahead of the clock, which stepped back (7), total of all costs (6)
--   totals: at the ends of the n + 1 parts before the newest, that of part k at place k modulo n + 1
-- TTL: until the estimate is 0; while its time is ahead of the clock, until no part matters.
local HEADER, TOTAL = 20, 6
local TURN = 2 ^ 48 -- far above the sums that the parts hold

-- Returns the length of a part and n, from (length * 2^bits + n) * 16 + bits.
local function parts_of(code)
  local bits = code % 16
  local both, most = (code - bits) / 16, 2 ^ bits
  return (both - both % most) / most, both % most
end

-- Reads the totals of the parts from first to last, at most n + 1, unless they are known. One that is missing counts as that
-- of now.
local function read_totals(state, first, last)
  local place = first % (state.parts + 1)
  local fit = state.parts - place
  if last - first > fit then
    read_totals(state, first + fit + 1, last)
    last = first + fit
  end
  local start = HEADER + TOTAL * place
  local kept = call('GETRANGE', state.key, start, start + TOTAL * (last - first + 1) - 1)
  for part = first, last do
    local at = TOTAL * (part - first) + 1
    state.totals[part] = state.totals[part] or #kept >= at + TOTAL - 1 and unpack('>I6', kept, at) or state.total
  end
end

-- Returns the total at the end of a part. Between the newest that was kept and that of now it has not changed.
local function total_at(state, part)
  local total = state.totals[part]
  if total then
    return total
  elseif part >= state.kept_part then
    return state.kept_total
  end
  read_totals(state, part, part)
  return state.totals[part]
end

local function costs_after(state, part)
  return part < state.part and (state.total - total_at(state, part)) % TURN or 0
end

-- Divides what is used between the oldest part and all others.
local function estimate(state)
  local oldest = state.part - state.parts
  state.whole = costs_after(state, oldest)
  state.oldest = math.max(0, costs_after(state, oldest - 1) - state.whole) -- less only of a foreign value
  state.share = divide(state.oldest, state.left, state.length)
end

-- Finds the first part after which at most so much was used: it is the oldest one when the cost fits. That is the part of now
-- after each admission, so it is looked at first, and the others by halves.
local function until_used_is_at_most(state, most)
  local low, high = state.part - state.parts, state.part
  if costs_after(state, high - 1) > most then
    low = high
  end
  while low < high do
    local middle = low + high
    middle = (middle - middle % 2) / 2
    if costs_after(state, middle) <= most then
      high = middle
    else
      low = middle + 1
    end
  end
  local later = costs_after(state, low)
  local weighted = left_when_share_is_at_most(most - later, costs_after(state, low - 1) - later, state.length)
  local wait = state.left + (low + state.parts - state.part) * state.length - weighted
  return wait > 0 and wait or state.left
end

local function until_reset(state)
  return state.share + state.whole == 0 and 0 or until_used_is_at_most(state, 0)
end

local function set_time(state, now, ahead_by)
  state.left = state.length - now % state.length
  state.now, state.part, state.ahead_by = now, (now - now % state.length) / state.length, ahead_by
end

local function forget(state)
  set_time(state, clock, 0)
  state.kept_part, state.kept_total, state.total, state.totals = 0, 0, 0, {}
  state.is_new, state.whole, state.oldest, state.share = true, 0, 0, 0
end

-- Writes the totals at the ends of the parts since the newest that was kept, and of those that were changed.
local function write_totals(state)
  local first, text = state.first_changed, ''
  if first then
    local texts = {}
    for part = first, state.part - 1 do
      texts[#texts + 1] = pack('>I6', total_at(state, part))
    end
    text = table.concat(texts)
  else
    first = state.kept_part
    text = string.rep(pack('>I6', state.kept_total), state.part - first)
  end
  local place = first % (state.parts + 1)
  local fit = TOTAL * (state.parts + 1 - place)
  if text ~= '' then
    call('SETRANGE', state.key, HEADER + TOTAL * place, string.sub(text, 1, fit))
  end
  if #text > fit then
    call('SETRANGE', state.key, HEADER, string.sub(text, fit + 1))
  end
end

algorithms['sliding-window-parts'] = {
  open = function(key, code)
    local length, parts = parts_of(code)
    local kept = read(key, '0', '19')
    if not kept or kept ~= '' and #kept < HEADER then
      return nil
    end
    local newest, ahead_by, total, changed = 0, 0, 0, false
    if kept ~= '' then
      newest, ahead_by, total = unpack('>I7I7I6', kept)
    end
    if newest > MOST_EXACT or ahead_by > newest then
      return nil
    end
    local now = clock + ahead_by
    if newest > now then -- the clock stepped back
      now, ahead_by, changed = newest, newest - clock, true
    end
    local state = {
      key = key, length = length, parts = parts, left = 0, now = 0, part = 0, ahead_by = 0, changed = changed,
      kept_part = (newest - newest % length) / length, kept_total = total, total = total, totals = {}, is_new = false,
      whole = 0, oldest = 0, share = 0
    }
    set_time(state, now, ahead_by)
    if state.part - state.kept_part > parts then
      forget(state)
      return state
    end
    local oldest = state.part - parts
    if oldest <= state.kept_part then
      read_totals(state, oldest - 1, oldest < state.kept_part and oldest or oldest - 1)
    end
    estimate(state)
    if state.oldest + state.whole > MOST_OWED then
      return nil
    end
    return state
  end,

  remaining = function(state, max)
    local left = max - state.share - state.whole
    return left > 0 and left or 0
  end,

  take = function(state, max, capacity, cost)
    state.total, state.whole = (state.total + cost) % TURN, state.whole + cost
  end,

  settle = function(state, max, capacity, more, taken_at)
    if more > 0 then
      local room = MOST_OWED - state.oldest - state.whole
      more = more < room and more or room
      state.total, state.whole = (state.total + more) % TURN, state.whole + more
      return true
    end
    local part = (taken_at - taken_at % state.length) / state.length
    if taken_at > state.now or part < state.part - state.parts then
      return false
    end
    local given = math.min(-more, costs_after(state, part - 1) - costs_after(state, part))
    if given <= 0 then
      return false
    end
    if part < state.kept_part then
      read_totals(state, part, state.kept_part - 1)
    end
    for later = part, state.part - 1 do
      state.totals[later] = (total_at(state, later) - given) % TURN
    end
    if part < state.part then
      state.first_changed = math.min(part, state.first_changed or state.kept_part)
    end
    state.total = (state.total - given) % TURN
    estimate(state)
    if state.share + state.whole == 0 and (state.ahead_by == 0 or state.oldest == 0) then
      forget(state)
    end
    return true
  end,

  retry_after = function(state, max, capacity, cost, ahead)
    local most = max - ahead - cost
    return state.share + state.whole <= most and 0 or until_used_is_at_most(state, most)
  end,

  reset_after = until_reset,

  lasts = function(state)
    return state.ahead_by == 0 and until_reset(state)
      or (state.part + state.parts + 1) * state.length - state.now
  end,

  close = function(state, ttl)
    local header = pack('>I7I7I6', state.now, state.ahead_by, state.total)
    if state.is_new then
      call('PSETEX', state.key, ttl, header .. string.rep('\0', TOTAL * (state.parts + 1)))
      return
    end
    call('PEXPIRE', state.key, ttl)
    write_totals(state)
    call('SETRANGE', state.key, '0', header)
  end
}
