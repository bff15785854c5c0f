-- The least that was missing from a bucket since any call of late. Twin of io.ratelimit.internal.algorithm.LeastMissing, which explains it.
-- Written as 24 bytes: since when it is known in µs (7), what was given back in µs of refill (7), the max (5) and the capacity (5) by which it is
-- counted; and 11 for each of up to 12 steps: how long before the last change of the bucket it began in µs (4), and the least that was missing
-- since, in µs of refill (7).

-- How long it is remembered in µs, if a window is longer.
local FORGETS = 600000000

-- Makes the functions, which only buckets need that have given something back.
local function least_missing()
  -- The most by which rounding makes a reset_after too large, the most that is counted of what was given back, the most steps, and more than is ever missing.
  local ROUNDED_MICROS, MOST_GIVEN_BACK, MOST_STEPS, NOTHING_YET = 2, 2 ^ 51, 12, 2 ^ 53 - 1

  local function begin_anew(lately, since)
    lately.steps, lately.known_since, lately.given_back = {}, since, 0
  end

  local function remove_equal(steps)
    for i = #steps, 2, -1 do
      if steps[i].least == steps[i - 1].least then
        table.remove(steps, i)
      end
    end
  end

  local function remove_least_different(steps)
    local smallest, least = math.huge, 2
    for i = 2, #steps - 1 do -- the last one is not known yet
      local ratio = steps[i].least / (steps[i - 1].least + 1)
      if ratio < smallest then
        smallest, least = ratio, i
      end
    end
    table.remove(steps, least)
  end

  local function step_of(lately, taken_at)
    local step = #lately.steps
    while step > 0 and lately.steps[step].since > taken_at do
      step = step - 1
    end
    return step
  end

  return {
    new = function(max, capacity)
      return {steps = {{since = clock, least = NOTHING_YET}}, known_since = 0, given_back = 0, max = max, capacity = capacity}
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
      local lately = {steps = {}, known_since = known_since, given_back = given_back, max = max, capacity = capacity}
      for i = 1, count do
        local ago, least
        ago, least, at = unpack('>I4I7', kept, at)
        lately.steps[i] = {since = changed_at - ago, least = least}
      end
      return lately
    end,

    written = function(lately)
      local parts = {pack('>I7I7I5I5', lately.known_since, lately.given_back, lately.max, lately.capacity)}
      for i, step in ipairs(lately.steps) do
        parts[i + 1] = pack('>I4I7', clock - step.since, step.least)
      end
      return table.concat(parts)
    end,

    step_back = function(lately, latest)
      if lately.known_since <= latest then
        begin_anew(lately, latest + 1)
      end
    end,

    -- Takes note of what is missing before a change.
    note = function(lately, window, max, capacity, least)
      local steps, oldest = lately.steps, clock - math.min(window, FORGETS)
      if lately.max ~= max or lately.capacity ~= capacity then
        least, lately.max, lately.capacity = 0, max, capacity
      end
      for _, step in ipairs(steps) do
        step.least = math.min(step.least, least)
      end
      remove_equal(steps)
      while #steps > 1 and steps[2].since <= oldest do
        table.remove(steps, 1)
      end
      if #steps > 0 then
        steps[1].since = math.max(steps[1].since, oldest)
      end
    end,

    take = function(lately)
      local steps = lately.steps
      local last = steps[#steps]
      if clock >= lately.known_since and not (last and last.since >= clock) then
        steps[#steps + 1] = {since = clock, least = NOTHING_YET}
        if #steps > MOST_STEPS then
          remove_least_different(steps)
        end
      end
    end,

    -- Returns the least that was missing since a call.
    least = function(lately, window, max, capacity, taken_at, found)
      if taken_at < lately.known_since or clock - taken_at >= math.min(window, FORGETS) then
        return 0
      end
      local step = step_of(lately, taken_at)
      local known = step > 0 and lately.max == max and lately.capacity == capacity and lately.steps[step].least or 0
      return math.max(known, found - ROUNDED_MICROS - (clock - taken_at) - lately.given_back)
    end,

    give_back = function(lately, taken_at, left)
      local step, steps = step_of(lately, taken_at), lately.steps
      for i = math.max(1, step), #steps do
        steps[i].least = math.max(0, steps[i].least - left)
      end
      for i = step - 1, 1, -1 do
        steps[i].least = math.min(steps[i].least, steps[i + 1].least)
      end
      remove_equal(steps)
      lately.given_back = lately.given_back + left + 1
      if lately.given_back > MOST_GIVEN_BACK then
        begin_anew(lately, clock + 1)
      end
    end
  }
end

