-- Decides a batch of acquisitions, each over one or more limits, each all or nothing. Stands after clock.lua, exact.lua
-- and the fragments of the algorithms in use, which fill `algorithms`.
--
-- KEYS: the distinct state keys.
-- ARGV: the time after which the caller has gone (0: never); for each key: algorithm, max, window in µs, capacity; then
--   for each acquisition:
--     operation: 'acquire', 'peek' or 'refund'
--     how many times the same is asked ('refund': the time at which it was taken)
--     number of charges, and for each: index of its key, cost
-- Reply: clock; 0 if the caller has gone, in which case nothing was decided, else 1; then for each acquisition:
--     how many of the times were admitted (refund: 0); where any was: for each charge: remaining, reset_after, as of
--     the last one; where any was not: for each charge: remaining, reset_after, retry_after. 'refund' has only the 0.
-- Leaves: what the algorithms in use leave, each key with a TTL of at most a second more than it matters.
local TTL_SLACK_MS = 500

local deadline = tonumber(ARGV[1])
if deadline > 0 and clock > deadline then
  return {clock, 0}
end

local reply, states = {clock, 1}, {}
local position = 2

for index = 1, #KEYS do
  local algorithm = algorithms[ARGV[position]]
  local state = algorithm.open(
    KEYS[index], tonumber(ARGV[position + 1]), tonumber(ARGV[position + 2]), tonumber(ARGV[position + 3]))
  state.algorithm = algorithm
  states[index] = state
  position = position + 4
end

-- The charges of the acquisition at hand: asked[i] is asked for costs[i].
local asked, costs

local function admits()
  for i = 1, #asked do
    if asked[i].algorithm.retry_after(asked[i], costs[i]) > 0 then
      return false
    end
  end
  return true
end

local function answer(refused)
  for i = 1, #asked do
    local size = #reply
    reply[size + 1], reply[size + 2] = asked[i].algorithm.status(asked[i])
    if refused then
      reply[size + 3] = asked[i].algorithm.retry_after(asked[i], costs[i])
    end
  end
end

while position <= #ARGV do
  local operation, times, charges = ARGV[position], tonumber(ARGV[position + 1]), tonumber(ARGV[position + 2])
  asked, costs = {}, {}
  for i = 1, charges do
    asked[i], costs[i] = states[tonumber(ARGV[position + 1 + 2 * i])], tonumber(ARGV[position + 2 + 2 * i])
  end
  position = position + 3 + 2 * charges

  local admitted = 0
  if operation == 'refund' then
    for i = 1, charges do
      asked[i].changed = asked[i].algorithm.give_back(asked[i], costs[i], times) or asked[i].changed
    end
    reply[#reply + 1] = 0
  else
    while admitted < times and admits() do
      admitted = admitted + 1
      if operation == 'acquire' then
        for i = 1, charges do
          asked[i].algorithm.take(asked[i], costs[i])
          asked[i].changed = true
        end
      end
    end
    reply[#reply + 1] = admitted
    if admitted > 0 then
      answer(false)
    end
    if admitted < times then
      answer(true)
    end
  end
end

for index = 1, #KEYS do
  local state = states[index]
  if state.changed then
    local _, reset_after = state.algorithm.status(state)
    if reset_after == 0 then
      redis.call('DEL', KEYS[index])
    else
      state.algorithm.close(KEYS[index], state, floor(reset_after / 1000) + TTL_SLACK_MS)
    end
  end
end

return reply
