-- The least that was missing from a bucket since any call of late. Twin of io.ratelimit.internal.algorithm.LeastMissing, which explains it.
-- Written as 24 bytes: since when it is known in µs (7), what was given back in µs of refill (7), the max (5) and the capacity (5) by which it is
-- counted; and 11 for each of up to 12 steps: how long before the last change of the bucket it began in µs (4), and the least that was missing
-- since, in µs of refill (7).

-- How long it is remembered in µs, if a window is longer.
local FORGETS = 600000000

-- Makes the functions, which only buckets need that have given something back. Steps are two lists, for tables cost more than they hold.
local function least_missing()
  -- The most by which rounding makes a reset_after too large, the most that is counted of what was given back, the most steps, and more than is ever missing.
  local ROUNDED_MICROS, MOST_GIVEN_BACK, MOST_STEPS, NOTHING_YET = 2, 2 ^ 51, 12, 2 ^ 53 - 1

  local function begin_anew(lately, since)
    lately.since, lately.least, lately.known_since, lately.given_back = {}, {}, since, 0
  end

  local function remove(lately, step)
    table.remove(lately.since, step)
    table.remove(lately.least, step)
  end

  local function remove_least_different(lately, least)
    local smallest, step = math.huge, 2
    for i = 2, #least - 1 do -- the last one is not known yet
      local ratio = least[i] / (least[i - 1] + 1)
      if ratio < smallest then
        smallest, step = ratio, i
      end
    end
    remove(lately, step)
  end

  local function step_of(since, taken_at)
    local step = #since
    while step > 0 and since[step] > taken_at do
      step = step - 1
    end
    return step
  end

  return {
    new = function(max, capacity)
      return {since = {clock}, least = {NOTHING_YET}, known_since = 0, given_back = 0, max = max, capacity = capacity}
    end,

    -- Returns nil if it is foreign.
    read = function(kept, from, changed_at)
      local count = (#kept + 1 - from - 24) / 11
      if count < 0 or count > MOST_STEPS or count % 1 > 0 then
        return nil
      end
      local known_since, given_back, max, capacity, at = unpack('>I7I7I5I5', kept, from)
      if known_since > MOST_EXACT or given_back > MOST_GIVEN_BACK then
        return nil
      end
      local since, least, all = {}, {}, {unpack('>' .. string.rep('I4I7', count), kept, at)}
      for i = 1, count do
        since[i], least[i] = changed_at - all[2 * i - 1], all[2 * i]
      end
      return {since = since, least = least, known_since = known_since, given_back = given_back, max = max, capacity = capacity}
    end,

    written = function(lately)
      local since, least, all = lately.since, lately.least, {}
      for i = 1, #since do
        all[2 * i - 1], all[2 * i] = clock - since[i], least[i]
      end
      return pack('>I7I7I5I5' .. string.rep('I4I7', #since), lately.known_since, lately.given_back, lately.max, lately.capacity,
        _G.unpack(all))
    end,

    step_back = function(lately, latest)
      if lately.known_since <= latest then
        begin_anew(lately, latest + 1)
      end
    end,

    -- Takes note of what is missing before a change: it lowers all that is higher, which is at the end.
    note = function(lately, window, max, capacity, missing)
      local since, least, oldest = lately.since, lately.least, clock - math.min(window, FORGETS)
      if lately.max ~= max or lately.capacity ~= capacity then
        missing, lately.max, lately.capacity = 0, max, capacity
      end
      local last = #least
      while last > 1 and least[last - 1] >= missing do
        since[last], least[last] = nil, nil
        last = last - 1
      end
      if last > 0 and least[last] > missing then
        least[last] = missing
      end
      while since[2] and since[2] <= oldest do
        remove(lately, 1)
      end
      if since[1] and since[1] < oldest then
        since[1] = oldest
      end
    end,

    take = function(lately)
      local since, least = lately.since, lately.least
      local last = #since
      if clock >= lately.known_since and (last == 0 or since[last] < clock) then
        since[last + 1], least[last + 1] = clock, NOTHING_YET
        if last == MOST_STEPS then
          remove_least_different(lately, least)
        end
      end
    end,

    -- Returns the least that was missing since a call.
    least = function(lately, window, max, capacity, taken_at, found)
      if taken_at < lately.known_since or clock - taken_at >= math.min(window, FORGETS) then
        return 0
      end
      local step = step_of(lately.since, taken_at)
      local known = step > 0 and lately.max == max and lately.capacity == capacity and lately.least[step] or 0
      return math.max(known, found - ROUNDED_MICROS - (clock - taken_at) - lately.given_back)
    end,

    give_back = function(lately, taken_at, left)
      local least, step = lately.least, step_of(lately.since, taken_at)
      for i = math.max(1, step), #least do
        least[i] = math.max(0, least[i] - left)
      end
      for i = step - 1, 1, -1 do
        least[i] = math.min(least[i], least[i + 1])
      end
      for i = #least, 2, -1 do
        if least[i] == least[i - 1] then
          remove(lately, i)
        end
      end
      lately.given_back = lately.given_back + left + 1
      if lately.given_back > MOST_GIVEN_BACK then
        begin_anew(lately, clock + 1)
      end
    end
  }
end

