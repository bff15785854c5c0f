-- Bans of subjects that are refused again and again. Twin of io.ratelimit.internal.algorithm.BanRecord, which explains it. In the
-- script only if a limit of the batch has a ban.
-- Leaves one string a subject beside that of its limit: when the last ban began (7), bans since the subject was quiet (1),
-- how many refusals are kept (1), the time until which the string is (7), and the times of the last refusals since that
-- ban (7 each). TTL: until the refusals no longer count and the bans are forgiven, by the numbers of every call that wrote
-- it. What is older than that is ignored, though Redis may still have it.
-- Charges with a ban are followed by rows of the same layout: the key of the ban, after (0: refusals are not counted,
-- because the ban counts failures), within, number of lengths; and
-- for each three lengths: the key, and the lengths.
local HEADER, TIME, MOST_BANS = 16, 7, 10

local function length_of(numbers, count)
  local lengths = numbers.lengths
  return lengths[count < #lengths and count or #lengths]
end

local function quiet_at(state, numbers)
  local length = length_of(numbers, state.bans)
  return state.began + length + (length > numbers.within and length or numbers.within)
end

local function ban_left(ban)
  local state = ban.state
  local ends = state.bans == 0 and 0 or state.began + length_of(ban, state.bans)
  local left = (ends < state.kept_until and ends or state.kept_until) - clock
  return left > 0 and left or 0
end

local function keep_until(state, time)
  state.kept_until = time > state.kept_until and time or state.kept_until
end

local function begin(ban)
  local state = ban.state
  if state.bans == 0 or quiet_at(state, ban) <= clock then
    state.bans = 1
  elseif state.bans < MOST_BANS then
    state.bans = state.bans + 1
  end
  state.began, state.times, state.changed = clock, '', true
  keep_until(state, quiet_at(state, ban))
end

local function are_enough(times, ban)
  local oldest = #times - TIME * ban.after
  return oldest >= 0 and unpack('>I7', times, oldest + 1) > clock - ban.within
end

-- Counts a refusal or failure; returns true if it begins the ban. `counted` has the states in which the acquisition was counted
-- before, for another ban of the subject.
local function count(ban, counted)
  local state = ban.state
  if ban_left(ban) > 0 then
    return false
  end
  state.most = ban.after > state.most and ban.after or state.most
  if not counted[state] then
    state.times = string.sub(state.times .. pack('>I7', clock), -TIME * state.most)
    state.changed, counted[state] = true, true
  end
  keep_until(state, clock + ban.within)
  if state.bans > 0 then
    keep_until(state, quiet_at(state, ban))
  end
  if not are_enough(state.times, ban) then
    return false
  end
  begin(ban)
  return true
end

local function write(command, state, ttl)
  local bytes = pack('>I7BBI7', state.began, state.bans, state.most, state.kept_until) .. state.times
  return command('PSETEX', state.key, ttl, bytes)
end

-- Counts a refusal, which stays one where Redis must not write, because it is full or a replica: then no ban begins.
local function count_refusal(ban, counted)
  local state = ban.state
  local began, bans, kept_until, times = state.began, state.bans, state.kept_until, state.times
  if count(ban, counted) then
    local ttl = string.format('%d', (state.kept_until - clock + 2 * TTL_STEP) / 1000)
    if write(pcall, state, ttl).err then
      state.began, state.bans, state.kept_until, state.times = began, bans, kept_until, times
    end
  end
end

-- Makes what is later than the clock, which stepped back, as late as it.
local function step_back(state)
  local size, later = #state.times, 0
  while later < size and unpack('>I7', state.times, size - later - TIME + 1) > clock do
    later = later + TIME
  end
  local oldest = state.bans > 0 and state.began or later == size and later > 0 and unpack('>I7', state.times) or clock
  if oldest > clock then
    state.kept_until = state.kept_until - oldest + clock
  end
  if later > 0 then
    state.times = string.sub(state.times, 1, size - later) .. string.rep(pack('>I7', clock), later / TIME)
    state.changed = true
  end
  if state.began > clock then
    state.began, state.changed = clock, true
  end
end

-- Returns the ban that follows a charge, if there is one, and the index of the next charge.
local function ban_at(charges, i, last, states, uses)
  if i > last or uses[charges[i]] ~= algorithms['ban'] then
    return nil, i
  end
  local state = states[charges[i]]
  local ban = {state = state, after = charges[i + 1], within = charges[i + 2], lengths = {}}
  for n = 1, charges[i + 3] do
    local at = i + 4 + 4 * ((n - 1 - (n - 1) % 3) / 3)
    ban.lengths[n] = charges[at + 1 + (n - 1) % 3]
  end
  local rows = (charges[i + 3] + 2 - (charges[i + 3] + 2) % 3) / 3
  return ban, i + 4 + 4 * rows
end

-- Returns how often the charges fit, at least 1.
local function units_of(charges, at, states, uses, times)
  for c = 1, times > 1 and #at or 0 do
    local i = at[c]
    local index, cost = charges[i], charges[i + 3]
    local left = uses[index].remaining(states[index], charges[i + 1], charges[i + 2])
    if left < times * cost then
      times = (left - left % cost) / cost
    end
  end
  return times > 1 and times or 1
end

algorithms['ban'] = {
  open = function(key)
    local kept = read(key)
    if kept == nil or kept and (#kept < HEADER or (#kept - HEADER) % TIME > 0) then
      return nil
    end
    local new = {key = key, began = 0, bans = 0, most = 0, kept_until = 0, times = '', changed = false}
    if not kept then
      return new
    end
    local state = {key = key, times = string.sub(kept, HEADER + 1), changed = false}
    state.began, state.bans, state.most, state.kept_until = unpack('>I7BBI7', kept)
    if state.began > MOST_EXACT or state.bans > MOST_BANS or state.kept_until > MOST_EXACT
      or #state.times > TIME * state.most then
      return nil
    end
    step_back(state)
    return state.kept_until > clock and state or new
  end,

  -- Decides an acquisition of which a limit has a ban: B: acquire, C: the same without counting refusals, Q: peek; F: the
  -- calls of the subjects have failed, X: ban the subjects. Returns the reply. That to F has a bit for each ban that begins,
  -- of the first 31 charges.
  decide = function(operation, times, charges, last, states, uses)
    local at, bans, waits, counted, begun, i = {}, {}, {}, {}, 0, 1
    local must_be_kept = operation == 'X' or operation == 'F'
    while i <= last do
      at[#at + 1] = i
      bans[#at], i = ban_at(charges, i + 4, last, states, uses)
      if must_be_kept then
        bans[#at].state.must_be_kept = true
      end
      if operation == 'X' then
        begin(bans[#at])
      elseif operation == 'F' and count(bans[#at], counted) then
        begun = begun + (#at < 32 and 2 ^ (#at - 1) or 0)
      end
    end
    if must_be_kept then
      return pack('>I4', begun)
    end

    local units, ahead = units_of(charges, at, states, uses, times), {}
    local admitted = units
    for c = 1, #at do
      i = at[c]
      local index, cost = charges[i], charges[i + 3]
      local before = ahead[index] or 0
      waits[c] = uses[index].retry_after(states[index], charges[i + 1], charges[i + 2], units * cost, before)
      ahead[index] = before + cost
      if waits[c] ~= 0 or bans[c] and ban_left(bans[c]) > 0 then
        admitted = 0
      end
    end
    for c = 1, operation ~= 'Q' and #at or 0 do
      i = at[c]
      local state = states[charges[i]]
      if admitted > 0 then
        local known = uses[charges[i]].take(state, charges[i + 1], charges[i + 2], units * charges[i + 3]) == false
        state.changed = state.changed or not known
      elseif operation == 'B' and bans[c] and bans[c].after > 0 and waits[c] ~= 0 then
        count_refusal(bans[c], counted)
      end
    end

    local reply = {}
    for c = 1, #at do
      i = at[c]
      local index, max, capacity, ban = charges[i], charges[i + 1], charges[i + 2], bans[c] and ban_left(bans[c]) or 0
      local state, algorithm = states[index], uses[index]
      local left = ban > 0 and 0 or algorithm.remaining(state, max, capacity)
      local reset_after = algorithm.reset_after(state, max, capacity)
      reset_after = ban > reset_after and ban or reset_after
      reply[#reply + 1] = algorithm.answer and algorithm.answer(state, admitted, left, reset_after)
        or pack('>I4I8I8', admitted, left, reset_after)
      if admitted < times then
        local wait = math.max(ban, math.abs(waits[c]))
        reply[#reply + 1] = pack('>I8', waits[c] < 0 and -wait or wait)
      end
      if bans[c] then
        reply[#reply + 1] = pack('>I8', ban)
      end
    end
    return table.concat(reply)
  end,

  lasts = function(state)
    return state.kept_until > clock and state.kept_until - clock or 0
  end,

  close = function(state, ttl)
    write(state.must_be_kept and call or pcall, state, ttl)
  end
}
