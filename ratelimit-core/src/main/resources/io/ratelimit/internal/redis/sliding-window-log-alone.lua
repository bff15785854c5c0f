-- Decides a batch of one acquisition with one charge of a log, as most batches are, before the functions of the engine are
-- defined: at half the cost. Replies as engine.lua does, and returns nil for any other batch or unusual state of a log.
-- Layout: sliding-window-log.lua, and engine.lua for request and reply.
local function decide_alone(request, key)
  local deadline, _, name, window, operation, times, _, size, _, max, _, cost, next_position =
    unpack('>I8I4sI8c1I4I8I4I4I8I8I8', request)
  local is_only_one = times == 1 and size == 1 and next_position > #request
  if operation ~= 'A' or not is_only_one or deadline > 0 and clock > deadline then
    return nil
  end
  local kept = read(key, '0', '37')
  if not kept or #kept < 38 then
    return nil
  end
  local newest, ahead_by, slots, head, count, base, total = unpack('>I7I7I4I4I4I6I6', kept)
  if ahead_by > 0 or newest >= clock or newest + window <= clock or head >= slots or count > slots then
    return nil
  end

  local near, start = count < 4 and count or 4, 38 + 12 * head
  if near > slots - head then
    near = slots - head
  end
  local entries, left, time, sum = call('GETRANGE', key, start, start + 12 * near - 1), 0, 0, 0
  if #entries < 12 * near then
    return nil
  end
  while left < near do
    time, sum = unpack('>I6I6', entries, 12 * left + 1)
    if (clock - time) % 2 ^ 48 < window then
      break
    end
    left, base = left + 1, sum
  end
  head, count = (head + left) % slots, count - left
  if left == near or count < 2 then
    return nil
  end

  local used = (total - base) % 2 ^ 48
  if count > used or used > MOST_OWED or slots > MOST_SLOTS then
    return nil -- a foreign value, which the engine recognizes
  end
  if used + cost > max then
    if (sum - base) % 2 ^ 48 < used + cost - max then
      return nil -- more than the oldest entry must leave
    end
    return pack('>I8I4I8I8I8', clock, 0, used < max and max - used or 0, newest + window - clock,
      window - (clock - time) % 2 ^ 48)
  elseif count == slots or slots > 16 and 4 * (count + 1) < slots then
    return nil
  end
  local resets_at, kept_resets_at = clock + window, newest + window
  local step = resets_at - resets_at % TTL_STEP
  if kept_resets_at - kept_resets_at % TTL_STEP ~= step then
    local ttl = step + 2 * TTL_STEP - clock
    call('PEXPIRE', key, (ttl - ttl % 1000) / 1000)
  end
  total = (total + cost) % 2 ^ 48
  call('SETRANGE', key, 38 + 12 * ((head + count) % slots), pack('>I6I6', clock % 2 ^ 48, total))
  call('SETRANGE', key, '0', pack('>I7I7I4I4I4I6I6', clock, 0, slots, head, count + 1, base, total))
  return pack('>I8I4I8I8', clock, 1, max - used - cost, window)
end

if #KEYS == 1 then
  local reply = decide_alone(ARGV[1], KEYS[1])
  if reply then
    return reply
  end
end
