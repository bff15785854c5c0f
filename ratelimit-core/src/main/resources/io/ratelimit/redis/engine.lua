-- Decides a batch of acquisitions, each over one or more limits, each all or nothing. Stands after clock.lua, shared.lua
-- and the fragments of the algorithms in use, which fill `algorithms`.
--
-- KEYS: the distinct state keys.
-- ARGV: the time after which the caller has gone (0: never); for each key: algorithm, max, window in µs, capacity; then
--   for each acquisition:
--     operation: 'acquire', 'peek' or 'refund'
--     how many times the same is asked ('refund': the time at which it was taken)
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
  local operation, times, charges = ARGV[position], ARGV[position + 1] + 0, ARGV[position + 2] + 0
  position = position + 3
  for i = 1, charges do
    asked[i], costs[i] = states[ARGV[position] + 0], ARGV[position + 1] + 0
    position = position + 2
  end

  local admitted, refused = 0, false
  if operation == 'refund' then
    for i = 1, charges do
      local state = asked[i]
      if state.algorithm.give_back(state, costs[i], times) then
        local _, reset_after = state.algorithm.status(state)
        state.changed, state.reset_after = true, reset_after
      end
    end
    times = 0
  end
  while admitted < times and not refused do
    for i = 1, charges do
      refused = refused or asked[i].algorithm.retry_after(asked[i], costs[i]) > 0
    end
    if not refused then
      admitted = admitted + 1
      if operation == 'acquire' then
        for i = 1, charges do
          local state = asked[i]
          state.algorithm.take(state, costs[i])
          state.changed = true
        end
      end
    end
  end

  size = size + 1
  reply[size] = admitted
  if admitted > 0 then
    for i = 1, charges do
      local state = asked[i]
      local remaining, reset_after = state.algorithm.status(state)
      reply[size + 1], reply[size + 2], state.reset_after = remaining, reset_after, reset_after
      size = size + 2
    end
  end
  if refused then
    for i = 1, charges do
      reply[size + 1], reply[size + 2] = asked[i].algorithm.status(asked[i])
      reply[size + 3] = asked[i].algorithm.retry_after(asked[i], costs[i])
      size = size + 3
    end
  end
end

for index = 1, #KEYS do
  local state = states[index]
  if state.changed then
    if state.reset_after == 0 then
      call('DEL', KEYS[index])
    else
      state.algorithm.close(KEYS[index], state, (state.reset_after - state.reset_after % 1000) / 1000 + TTL_SLACK_MS)
    end
  end
end

return reply
