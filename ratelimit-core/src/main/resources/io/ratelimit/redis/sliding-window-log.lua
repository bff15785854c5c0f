-- At most max in any window that ends now. Twin of io.ratelimit.algorithm.SlidingWindowLog.
-- Leaves one list a subject: for each admission its time and the running total of all costs up to it, two elements, the
-- oldest first. The first pair counts no more, whatever its time: its total is what the others' began at. TTL: until the
-- newest leaves.
local TURN = 2 ^ 52 -- where running totals begin anew, far above any limit: what two differ by is right all the same

local function total_from(origin, total)
  return (total - origin) % TURN
end

-- How many of the pairs have at field (1: time, 2: total, counted from origin) a value of at most bound. The oldest few
-- were read at the start, for in the steady state the answer is among them; beyond them the list is searched by halves.
local function pairs_up_to(log, bound, field, origin)
  local few = log.few
  for i = field, #few, 2 do
    if (origin and total_from(origin, few[i]) or few[i] + 0) > bound then
      return (i - field) / 2
    end
  end
  local low, high = #few / 2, call('LLEN', log.key) / 2
  while low < high do
    local middle = (low + high - (low + high) % 2) / 2
    local value = call('LINDEX', log.key, 2 * middle + field - 1)
    if (origin and total_from(origin, value) or value + 0) > bound then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function pairs_gone_with(log, cost)
  local origin = log.few[2] or 0
  return pairs_up_to(log, total_from(origin, log.base) + cost, 2, origin)
end

local function element(log, index)
  return log.few[index] or call('LINDEX', log.key, index - 1)
end

local function used_in(log)
  return total_from(log.base, log.total)
end

local function left_in(log)
  local left = log.limit.max - used_in(log)
  return left > 0 and left or 0
end

algorithms['sliding-window-log'] = {
  open = function(limit, key)
    local few = call('LRANGE', key, '0', '7')
    local log = {
      limit = limit, key = key, remaining = limit.max, changed = false,
      now = clock, few = few, newest = 0, total = 0, gone = 0, base = 0, taken = false, based = false
    }
    if few[1] then
      local newest = #few < 8 and {few[#few - 1], few[#few]} or call('LRANGE', key, '-2', '-1')
      log.newest, log.total = newest[1] + 0, newest[2] + 0
      if log.newest > clock then
        log.now = log.newest
      end
      log.gone = pairs_up_to(log, log.now - limit.window, 1)
      if log.gone == 0 then -- by a window that has grown
        log.gone = 1
      end
      log.base = element(log, 2 * log.gone) + 0
      log.remaining = left_in(log)
    end
    return log
  end,

  take = function(log, cost)
    log.total = (log.total + cost) % TURN
    log.taken = true
  end,

  give_back = function(log, cost, taken_at)
    if taken_at <= log.now - log.limit.window then
      return false
    end
    log.base = cost < used_in(log) and (log.base + cost) % TURN or log.total
    log.based = true
    log.remaining = left_in(log)
    return true
  end,

  retry_after = function(log, cost)
    local must_leave = used_in(log) + cost - log.limit.max
    local last = pairs_gone_with(log, must_leave - 1)
    return (element(log, 2 * last + 1) or log.now) + log.limit.window - log.now
  end,

  reset_after = function(log)
    if log.total == log.base then
      return 0
    end
    return (log.taken and log.now or log.newest) + log.limit.window - log.now
  end,

  close = function(log, ttl)
    local key, newest = log.key, log.newest
    if log.based and log.few[1] then
      log.gone = pairs_gone_with(log, 0)
      call('LSET', key, 2 * log.gone - 2, '0')
      call('LSET', key, 2 * log.gone - 1, log.base)
      newest = call('LINDEX', key, '-2') + 0
    end
    if log.gone > 1 then
      call('LTRIM', key, 2 * log.gone - 2, '-1')
    end
    if not log.few[1] then -- what is not there yet is written by none but who takes
      call('RPUSH', key, '0', log.base, log.now, log.total)
    elseif log.taken and newest == log.now then
      call('LSET', key, '-1', log.total)
    elseif log.taken then
      call('RPUSH', key, log.now, log.total)
    end
    call('PEXPIRE', key, ttl)
  end
}
