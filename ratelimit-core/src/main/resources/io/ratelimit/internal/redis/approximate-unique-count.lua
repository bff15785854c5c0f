-- At most about max distinct elements in each window of the clock. Twin of io.ratelimit.internal.algorithm.UniqueCount with
-- its ApproximateElements, which explain it.
-- Leaves one string a subject, 12,317 bytes: the start of the window (7), by how much the key's time is ahead of the clock,
-- which stepped back (7), how many elements there are about (8, a double), how many of all numbers of elements would change
-- a register (7), and 16,384 registers of 6 bits, of which four are a group.
-- TTL: until the end of the window.
local HEADER, REGISTERS, HIGHEST_RANK, NUMBERS = 29, 16384, 39, 2 ^ 53

-- Returns the register of an element and its rank there.
local function place(element)
  local register, rank = element % REGISTERS, 1
  local rest = (element - register) / REGISTERS
  while rest % 2 == 0 and rank < HIGHEST_RANK do
    rest, rank = rest / 2, rank + 1
  end
  return register, rank
end

local function kept_group(state, group)
  local start = HEADER + 3 * group
  local kept = state.is_new and '' or call('GETRANGE', state.key, start, start + 2)
  return #kept == 3 and unpack('>I3', kept) or 0
end

-- Returns the number of an element's group of registers, what to multiply the element's rank by there, the rank that is kept,
-- and the element's.
local function registers_of(state, element)
  local register, rank = place(element)
  local group = (register - register % 4) / 4
  local kept = state.groups[group]
  if not kept then
    kept = kept_group(state, group)
    state.groups[group] = kept
  end
  local factor = 64 ^ (register % 4)
  return group, factor, (kept - kept % factor) / factor % 64, rank
end

local function is_known(state, element)
  local _, _, kept_rank, rank = registers_of(state, element)
  return kept_rank >= rank
end

local function until_reset(state)
  return state.count == 0 and 0 or state.start + state.window - state.now
end

-- Returns the registers of a new state.
local function new_registers(state)
  local parts, written = {}, 0
  table.sort(state.changed_groups)
  for _, group in ipairs(state.changed_groups) do
    if 3 * group >= written then
      parts[#parts + 1] = string.rep('\0', 3 * group - written)
      parts[#parts + 1] = pack('>I3', state.groups[group])
      written = 3 * group + 3
    end
  end
  return table.concat(parts) .. string.rep('\0', REGISTERS / 4 * 3 - written)
end

algorithms['approximate-unique-count'] = {
  open = function(key, window)
    local kept = read(key, '0', '28')
    if kept == nil or kept ~= '' and #kept < HEADER then
      return nil
    end
    local now, start, ahead_by, count, changing = clock, clock - clock % window, 0, 0, NUMBERS
    local is_new, changed, resets_at = true, false, false
    if kept ~= '' then
      local kept_start, kept_count, kept_changing
      kept_start, ahead_by, kept_count, kept_changing = unpack('>I7I7dI7', kept)
      if kept_start > MOST_EXACT or kept_start % window ~= 0 or ahead_by > MOST_EXACT or kept_changing == 0
        or kept_changing > NUMBERS or not (kept_count >= 1 and kept_count < NUMBERS) then
        return nil
      end
      now, resets_at = clock + ahead_by, kept_start + window - ahead_by
      if kept_start > now then -- the clock stepped back
        now, ahead_by, changed, resets_at = kept_start, kept_start - clock, true, false
      end
      if now - kept_start < window then
        start, count, changing, is_new = kept_start, kept_count, kept_changing, false
      else
        now, ahead_by, resets_at = clock, 0, false
      end
    end
    return {
      key = key, window = window, now = now, start = start, ahead_by = ahead_by, count = count, changing = changing,
      groups = {}, changed_groups = {}, is_new = is_new, changed = changed, resets_at = resets_at
    }
  end,

  remaining = function(state, max)
    local left = max - state.count + state.count % 1
    return left > 0 and left or 0
  end,

  take = function(state, max, capacity, element)
    local group, factor, kept_rank, rank = registers_of(state, element)
    if kept_rank >= rank then
      return false
    end
    state.count = state.count + NUMBERS / state.changing
    state.changing = state.changing - 2 ^ (HIGHEST_RANK - kept_rank) + 2 ^ (HIGHEST_RANK - rank)
    state.groups[group] = state.groups[group] + (rank - kept_rank) * factor
    state.changed_groups[#state.changed_groups + 1] = group
  end,

  settle = function()
    return false
  end,

  retry_after = function(state, max, capacity, element)
    if state.count < max or is_known(state, element) then
      return 0
    end
    return state.start + state.window - state.now
  end,

  reset_after = until_reset,
  lasts = until_reset,

  close = function(state, ttl, stays)
    local header = pack('>I7I7dI7', state.start, state.ahead_by, state.count, state.changing)
    if state.is_new then
      call('PSETEX', state.key, ttl, header .. new_registers(state))
      return
    end
    if not stays then
      call('PEXPIRE', state.key, ttl)
    end
    for _, group in ipairs(state.changed_groups) do
      call('SETRANGE', state.key, HEADER + 3 * group, pack('>I3', state.groups[group]))
    end
    call('SETRANGE', state.key, '0', header)
  end
}
