-- Decides a batch of acquisitions, each over one or more limits, each all or nothing. Stands after clock.lua, shared.lua
-- and the fragments of the algorithms in use, which fill `algorithms`.
--
-- KEYS: the distinct state keys.
-- ARGV: the time after which the caller has gone (0: never); for each key: algorithm, max, window in µs, capacity; then
--   for each acquisition:
--     operation: 'acquire'; 'acquire-many' and how many times the same is asked; 'peek'; or 'refund' and the time at
--     which it was taken
--     number of charges, and for each: index of its key, cost
-- Reply: clock, and nothing else if the caller has gone, for then nothing was decided; for each acquisition:
--     how many of the times were admitted (refund: 0); where any was: for each charge: remaining, reset_after, as of
--     the last one; where any was not: for each charge: remaining, reset_after, retry_after. 'refund' has only the 0.
-- Leaves: what the algorithms in use leave, each key with a TTL of at most a second more than it matters.
local TTL_SLACK_MS = 500

local ARGV, KEYS = ARGV, KEYS
local deadline = ARGV[1] + 0
if deadline > 0 and clock > deadline then
  return {clock}
end

-- A state holds, beside what its algorithm keeps, its algorithm and whether it was changed: by now, its reset_after.
local states = {nil}
local position, size_of_argv = 2, #ARGV
for index = 1, #KEYS do
  states[index] = algorithms[ARGV[position]]:open(
    KEYS[index], ARGV[position + 1] + 0, ARGV[position + 2] + 0, ARGV[position + 3] + 0)
  position = position + 4
end

-- The charges of the acquisition at hand: the first so many of asked, for costs.
local asked, costs = {nil}, {nil}
local reply, size = {clock, nil, nil, nil}, 1

while position <= size_of_argv do
  local operation, times, taken_at = ARGV[position], 1, 0
  if operation == 'acquire-many' then
    position = position + 1
    times = ARGV[position] + 0
  elseif operation == 'refund' then
    position = position + 1
    taken_at = ARGV[position] + 0
  end
  local charges = ARGV[position + 1] + 0
  position = position + 2
  for i = 1, charges do
    asked[i], costs[i] = states[ARGV[position] + 0], ARGV[position + 1] + 0
    position = position + 2
  end

  local admitted = times
  if operation == 'refund' then
    admitted, times = 0, 0
    for i = 1, charges do
      local state = asked[i]
      if state.algorithm.give_back(state, costs[i], taken_at) then
        local _, reset_after = state.algorithm.status(state)
        state.changed = reset_after
      end
    end
  elseif times == 1 then
    for i = 1, charges do
      if asked[i].algorithm.retry_after(asked[i], costs[i]) > 0 then
        admitted = 0
        break
      end
    end
  else
    for i = 1, charges do
      local remaining = asked[i].algorithm.status(asked[i])
      local fits = (remaining - remaining % costs[i]) / costs[i]
      if fits < admitted then
        admitted = fits
      end
    end
  end

  if admitted > 0 and operation ~= 'peek' then
    for i = 1, charges do
      local state = asked[i]
      state.algorithm.take(state, admitted * costs[i])
    end
  end

  size = size + 1
  reply[size] = admitted
  if admitted > 0 then
    for i = 1, charges do
      local state = asked[i]
      local remaining, reset_after = state.algorithm.status(state)
      reply[size + 1], reply[size + 2] = remaining, reset_after
      size = size + 2
      if operation ~= 'peek' then
        state.changed = reset_after
      end
    end
  end
  if admitted < times then
    for i = 1, charges do
      reply[size + 1], reply[size + 2] = asked[i].algorithm.status(asked[i])
      reply[size + 3] = asked[i].algorithm.retry_after(asked[i], costs[i])
      size = size + 3
    end
  end
end

for index = 1, #KEYS do
  local state = states[index]
  local reset_after = state.changed
  if reset_after == 0 then
    call('DEL', KEYS[index])
  elseif reset_after then
    state.algorithm.close(KEYS[index], state, (reset_after - reset_after % 1000) / 1000 + TTL_SLACK_MS)
  end
end

return reply
