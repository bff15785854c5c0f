-- Decides a batch of acquisitions, each over one or more limits, each all or nothing. Stands after clock.lua, shared.lua,
-- the fragments of the algorithms in use, which fill `algorithms`, and block.lua.
--
-- KEYS: the distinct state keys, grouped by limit, algorithm and window.
-- ARGV: one string of big-endian numbers, of 8 bytes each unless noted:
--   the time after which all callers have timed out (0: never);
--   for each limit, algorithm and window: the index of its last key (4), algorithm (its name and a zero byte), window in µs
--     (or what its fragment says);
--   for each acquisition: its operation, A: acquire, P: peek, S: settle, K: block, a or p if several of its charges share a
--     key or one names an element, or one of ban.lua's (1); how many equal acquisitions it stands for (4), 1 for a and p; for S the time
--     of the decision, otherwise 0;
--     number of charges (4), and for each: index of its key (4), max, capacity, cost or the number of the element. For S all
--     charges stand twice: first with what was charged, and then with reset_after at the decision and what was given back until then, as one number, and 0 (of concurrency what its
--     fragment says), and what the call cost.
--     For K too, and what it cost is how long the block lasts, in µs, and reset_after how much it admits.
-- Reply: one string of the same kind: the clock, and nothing else if the callers have timed out, or if it is in none of the
--   periods that were sent, because then nothing is decided; for each acquisition and each of its charges: how many were admitted (4), then remaining, reset_after, if
--   2^31 was added to what was admitted how much was given back as far as that is remembered, in µs, and
--   retry_after if not all were admitted, negative if the limit is blocked. A settled one has a 0 (4), so that the reply is longer than one that is too late;
--   what ban.lua answers to failures and bans is as long.
--   An acquisition with an unreadable key is not decided: it has 2^32 - 1 (4) and the index of the charge (4).
-- Leaves: what the algorithms in use leave, each key with a TTL of 400 to 800 ms more than it matters.

local UNREADABLE = 4294967295

local request = ARGV[1]
local deadline, position = unpack('>I8', request)
if deadline > 0 and clock > deadline then
  return pack('>I8', clock)
end

-- A number becomes text slowly, and the states of a batch mostly expire together.
local ttl_micros, ttl_text
local function close(state, algorithm)
  local lasts = algorithm.lasts(state)
  if lasts > 0 then
    local kept, resets_at = state.resets_at, clock + lasts
    local step = resets_at - resets_at % TTL_STEP
    local ttl = step + 2 * TTL_STEP - clock
    if ttl ~= ttl_micros then
      ttl_micros, ttl_text = ttl, string.format('%d', ttl / 1000)
    end
    algorithm.close(state, ttl_text, kept and kept - kept % TTL_STEP == step)
  end
end

-- One call of one limit, as most batches are where Redis is not busy, is decided before the functions and tables are made
-- that others need: they would take a sixth of its time.
if #KEYS == 1 then
  local _, name, window, operation, times, _, size, _, max, capacity, cost, next_position =
    unpack('>I4sI8c1I4I8I4I4I8I8I8', request, position)
  local is_one = operation == 'A' and times == 1 and size == 1 and next_position > #request
  local algorithm = algorithms[name]
  local state = is_one and algorithm.open(KEYS[1], window)
  if state then
    local admitted, left, retry_after = 0, algorithm.remaining(state, max, capacity), ''
    if left < cost then
      retry_after = pack('>I8', algorithm.retry_after(state, max, capacity, cost, 0))
    else
      algorithm.take(state, max, capacity, cost)
      admitted, left, state.changed = 1, left - cost, true
    end
    local reset_after = algorithm.reset_after(state, max, capacity)
    if state.changed then
      close(state, algorithm)
    end
    local special = state.lately and algorithm.answer(state, admitted, left, reset_after)
    if special then
      return pack('>I8', clock) .. special .. retry_after
    end
    return pack('>I8I4I8I8', clock, admitted, left, reset_after) .. retry_after
  end
end

-- A state contains, beside the fields of its algorithm: its key, its window, whether it was changed, and resets_at, the time
-- at which the stored state resets, if its TTL can be kept. The state of an unreadable key is false.
local states, uses, size_of_keys = {nil}, {nil}, #KEYS
local blocks
local opened, all_readable = 0, true
while opened < size_of_keys do
  local last, name, window
  last, name, window, position = unpack('>I4sI8', request, position)
  local algorithm = algorithms[name]
  for index = opened + 1, last do
    local state, in_other_period = algorithm.open(KEYS[index], window)
    uses[index] = algorithm
    if in_other_period then
      return pack('>I8', clock)
    elseif not state then
      blocks = blocks or blocking(states, uses)
      state, uses[index] = blocks.open(KEYS[index], algorithm, window)
      all_readable = all_readable and state
    end
    states[index] = state or false
  end
  opened = last
end

-- The current acquisition: for each charge the index of its key, max, capacity and cost. `last` is the last index.
local charges, last = {nil, nil, nil, nil}, 0
local given_back = false
local reply, size_of_reply = {pack('>I8', clock), nil}, 1

local function answer(index, left, reset_after, admitted, retry_after)
  local special = uses[index].answer
  size_of_reply = size_of_reply + 1
  reply[size_of_reply] = special and special(states[index], admitted, left, reset_after)
    or pack('>I4I8I8', admitted, left, reset_after)
  if retry_after then
    size_of_reply = size_of_reply + 1
    reply[size_of_reply] = pack('>I8', retry_after)
  end
end

-- What is left after taking is what was left before minus the cost, for every algorithm that is decided here.
local lefts = {nil}
local function decide(takes, times)
  local admitted = times
  for i = 1, last, 4 do
    local index, cost = charges[i], charges[i + 3]
    local left = uses[index].remaining(states[index], charges[i + 1], charges[i + 2])
    lefts[i] = left
    if left < admitted * cost then
      admitted = (left - left % cost) / cost
    end
  end
  for i = 1, last, 4 do
    local index, max, capacity, cost = charges[i], charges[i + 1], charges[i + 2], charges[i + 3]
    local state, algorithm, left = states[index], uses[index], lefts[i]
    if takes and admitted > 0 then
      algorithm.take(state, max, capacity, admitted * cost)
      state.changed, left = true, left - admitted * cost
    end
    answer(index, left, algorithm.reset_after(state, max, capacity), admitted,
      admitted < times and algorithm.retry_after(state, max, capacity, cost, 0))
  end
end

-- Decides an acquisition with charges that share a key or name elements: each as if those before it were taken.
local function decide_in_order(takes)
  local ahead, waits, admitted = {}, {}, 1
  for i = 1, last, 4 do
    local index, cost = charges[i], charges[i + 3]
    local before = ahead[index] or 0
    waits[i] = uses[index].retry_after(states[index], charges[i + 1], charges[i + 2], cost, before)
    ahead[index] = before + cost
    if waits[i] ~= 0 then
      admitted = 0
    end
  end
  if takes and admitted > 0 then
    for i = 1, last, 4 do
      local index = charges[i]
      local state = states[index]
      local known = uses[index].take(state, charges[i + 1], charges[i + 2], charges[i + 3]) == false
      state.changed = state.changed or not known
    end
  end
  for i = 1, last, 4 do
    local index, max, capacity = charges[i], charges[i + 1], charges[i + 2]
    local state, algorithm = states[index], uses[index]
    answer(index, algorithm.remaining(state, max, capacity), algorithm.reset_after(state, max, capacity), admitted,
      admitted == 0 and waits[i])
  end
end

local function settle(taken_at)
  local half = last / 2
  for i = 1, half, 4 do
    local index, more = charges[i], charges[half + i + 3] - charges[i + 3]
    local state = states[index]
    local changed = more ~= 0 and uses[index].settle(
      state, charges[i + 1], charges[i + 2], more, taken_at, charges[half + i + 1], charges[half + i + 2])
    if changed then
      state.changed, given_back = true, given_back or more < 0
    end
  end
  size_of_reply = size_of_reply + 1
  reply[size_of_reply] = pack('>I4', 0)
end

local function first_unreadable()
  for i = 1, last, 4 do
    if not states[charges[i]] then
      return (i + 3) / 4
    end
  end
end

while position <= end_of_acquisitions do
  local operation, times, taken_at, size
  operation, times, taken_at, size, charges[1], charges[2], charges[3], charges[4], position =
    unpack('>c1I4I8I4I4I8I8I8', request, position)
  last = 4 * size
  for i = 5, last, 4 do
    charges[i], charges[i + 1], charges[i + 2], charges[i + 3], position = unpack('>I4I8I8I8', request, position)
  end
  local unreadable = not all_readable and first_unreadable()
  if unreadable then
    size_of_reply = size_of_reply + 1
    reply[size_of_reply] = pack('>I4I4', UNREADABLE, unreadable)
  elseif operation == 'A' or operation == 'P' then
    decide(operation == 'A', times)
  elseif operation == 'S' then
    settle(taken_at)
  elseif operation == 'K' then
    blocks = blocks or blocking(states, uses)
    blocks.begin(charges[1], charges[8], charges[6])
    size_of_reply = size_of_reply + 1
    reply[size_of_reply] = pack('>I4', 0)
  elseif operation == 'a' or operation == 'p' then
    decide_in_order(operation == 'a')
  else
    size_of_reply = size_of_reply + 1
    reply[size_of_reply] = algorithms['ban'].decide(operation, times, charges, last, states, uses)
  end
end

-- Commands that may fail for lack of rights run before anything is written: deletions first, then values of which some bytes are written, whose keys Java
-- puts first.
for index = 1, given_back and size_of_keys or 0 do
  local state = states[index]
  if state and state.changed and uses[index].lasts(state) == 0 then
    call('DEL', state.key)
    state.changed = false
  end
end
for index = 1, size_of_keys do
  local state = states[index]
  if state and state.changed then
    close(state, uses[index])
  end
end
if blocks then
  blocks.close()
end

return size_of_reply == 2 and reply[1] .. reply[2] or table.concat(reply)
