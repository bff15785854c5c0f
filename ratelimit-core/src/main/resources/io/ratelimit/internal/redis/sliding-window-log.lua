-- At most max in any window that ends now. Twin of io.ratelimit.internal.algorithm.SlidingWindowLog.
-- Leaves one string a subject: a header of 38 bytes, and a ring of entries of 12 bytes, one for each admission.
--   header: time of the newest entry (7), by how much the key's time is ahead of the clock, which stepped back (7), slots
--   of the ring (4), slot of the oldest entry (4), entries (4), total before the oldest entry (6), total of all (6)
--   entry: its time (6) and the running total of all costs up to it (6), both modulo 2^48
-- TTL: until the newest entry leaves.
local HEADER, ENTRY = 38, 12
local TURN = 2 ^ 48 -- far above the ages and the sums that a log holds

-- Returns time and total of an entry, counted from 0 for the oldest. The first `near` entries are in `block`. One that is
-- missing counts as the newest: the length of the string is not read, because that would cost each decision a command.
local function entry(log, index)
  local start = ENTRY * ((log.head + index) % log.slots)
  if index < log.near then
    return unpack('>I6I6', log.block, start + log.block_offset)
  end
  local kept = call('GETRANGE', log.key, HEADER + start, HEADER + start + ENTRY - 1)
  if #kept < ENTRY then -- the string was cut
    return log.newest, log.total
  end
  return unpack('>I6I6', kept)
end

-- Returns how many of the oldest entries have left the window or, if costs are given, have at most that sum. Looks at the
-- near entries first, because the answer is mostly among them, and searches the others by halves.
local function entries_up_to(log, costs)
  local low, high = 0, log.count
  while low < high do
    local index = low < log.near and low or (low + high - (low + high) % 2) / 2
    local time, total = entry(log, index)
    local beyond
    if costs then
      beyond = (total - log.base) % TURN > costs
    else
      beyond = (log.now - time) % TURN < log.window
    end
    if beyond then
      high = index
    else
      low = index + 1
    end
  end
  return low
end

local function drop(log, entries)
  log.count, log.near = log.count - entries, log.near > entries and log.near - entries or 0
  log.head = (log.head + entries) % log.slots
end

local function used_in(log)
  return (log.total - log.base) % TURN
end

local function until_reset(log)
  return log.total == log.base and 0 or (log.most > 0 and log.now or log.newest) + log.window - log.now
end

local function header(log, slots, head, count)
  return pack('>I7I7I4I4I4I6I6', log.newest, log.ahead_by, slots, head, count, log.base, log.total)
end

-- Rewrites the log with room for a quarter more entries, but not for more than the limit admits.
local function rewrite(log, ttl, count, appended)
  local slots = count + (count - count % 4) / 4 + 1
  if slots > log.most and log.most >= count then
    slots = log.most
  end
  local old = ''
  if log.count > 0 then
    local last = log.head + log.count
    local ring_end = HEADER + ENTRY * log.slots - 1
    if last <= log.slots then
      old = call('GETRANGE', log.key, HEADER + ENTRY * log.head, HEADER + ENTRY * last - 1)
    else
      old = call('GETRANGE', log.key, HEADER + ENTRY * log.head, ring_end)
        .. call('GETRANGE', log.key, HEADER, HEADER + ENTRY * (last - log.slots) - 1)
    end
    if appended ~= '' and count == log.count then
      old = string.sub(old, 1, -ENTRY - 1)
    end
  end
  local room = string.rep('\0', ENTRY * (slots - count))
  call('PSETEX', log.key, ttl, header(log, slots, 0, count) .. old .. appended .. room)
end

local function take(log, max, capacity, cost)
  log.total = (log.total + cost) % TURN
  if log.most < max then
    log.most = max
  end
end

algorithms['sliding-window-log'] = {
  open = function(key, window)
    local now, newest, ahead_by, slots, head, count, base, total = clock, 0, 0, 0, 0, 0, 0, 0
    local near, block_offset, resets_at, changed = 0, 0, false, false
    local block = read(key, '0', '133') -- header and eight slots
    if block ~= '' then
      if not block or #block < HEADER then
        return nil
      end
      newest, ahead_by, slots, head, count, base, total = unpack('>I7I7I4I4I4I6I6', block)
      local used = (total - base) % TURN
      if newest > MOST_EXACT or ahead_by > newest or head >= slots or count > slots or count > used or used > MOST_OWED
        or slots > MOST_SLOTS or slots <= 8 and #block ~= HEADER + ENTRY * slots then
        return nil
      end
      now, resets_at = clock + ahead_by, newest - ahead_by + window
      if newest > now then -- the clock stepped back
        now, ahead_by, changed, resets_at = newest, newest - clock, true, false
      end
      if newest + window <= now then -- all entries have left
        now, ahead_by, head, count, base = clock, 0, 0, 0, total
      elseif slots <= 8 then
        near, block_offset = count, HEADER + 1
      else
        near = count < 4 and count or 4
        if near > slots - head then
          near = slots - head
        end
        local start = HEADER + ENTRY * head
        block, block_offset = call('GETRANGE', key, start, start + ENTRY * near - 1), 1 - ENTRY * head
        if #block < ENTRY * near then
          return nil
        end
      end
    end
    local log = {
      key = key, window = window, now = now, ahead_by = ahead_by, newest = newest, slots = slots, head = head,
      count = count, base = base, total = total, near = near, block = block, block_offset = block_offset,
      most = 0, changed = changed, resets_at = resets_at
    }
    if count > 0 then
      local left = entries_up_to(log)
      if left > 0 then
        local _, gone = entry(log, left - 1)
        log.base = gone
        drop(log, left)
      end
    end
    return log
  end,

  remaining = function(log, max)
    local left = max - used_in(log)
    return left > 0 and left or 0
  end,

  take = take,

  settle = function(log, max, capacity, more, taken_at)
    local cost = -more
    if more > 0 then
      local room = MOST_OWED - used_in(log)
      take(log, max, capacity, more < room and more or room)
    elseif used_in(log) == 0 or taken_at <= log.now - log.window or taken_at > log.now then
      return false
    elseif cost < used_in(log) then
      drop(log, entries_up_to(log, cost))
      log.base = (log.base + cost) % TURN
    else
      drop(log, log.count)
      log.base, log.most, log.ahead_by, log.now = log.total, 0, 0, clock
    end
    return true
  end,

  retry_after = function(log, max, capacity, cost, ahead)
    local must_leave = used_in(log) + ahead + cost - max
    if must_leave <= 0 then
      return 0
    end
    local last = entries_up_to(log, must_leave - 1)
    if last == log.count then
      return log.window
    end
    local wait = log.window - (log.now - entry(log, last)) % TURN
    return wait > 0 and wait or log.window
  end,

  reset_after = until_reset,
  lasts = until_reset,

  close = function(log, ttl, stays)
    local key, count, appended = log.key, log.count, ''
    if log.most > 0 then
      appended = pack('>I6I6', log.now % TURN, log.total)
      if count == 0 or log.newest ~= log.now then -- calls at the same µs share an entry
        count = count + 1
      end
      log.newest = log.now
    end
    if count > log.slots or log.slots > 16 and 4 * count < log.slots then
      return rewrite(log, ttl, count, appended)
    end
    if not stays or log.count < 2 then -- a user without the right is to fail at its second call, not later
      call('PEXPIRE', key, ttl)
    end
    if log.most > 0 then
      call('SETRANGE', key, HEADER + ENTRY * ((log.head + count - 1) % log.slots), appended)
    end
    call('SETRANGE', key, '0', header(log, log.slots, log.head, count))
  end
}
