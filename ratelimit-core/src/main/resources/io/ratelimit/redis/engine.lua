-- Decides a batch of acquisitions, each over one or more limits, each all or nothing. Stands after clock.lua, shared.lua
-- and the fragments of the algorithms in use, which fill `algorithms`.
--
-- KEYS: the distinct state keys, those of one limit beside each other.
-- ARGV: one string of numbers, big end first, with 8 bytes each unless said:
--   the time after which the caller has gone (0: never);
--   for each limit: the index of its last key (4), algorithm (its name and a zero byte), max, window in µs, capacity;
--   for each run of acquisitions that are alike but for their keys: what is asked, A: acquire, P: peek, R: refund (1);
--     how many times the same is asked (4), of a refund 0; how many acquisitions (4), each of which charges the keys
--     that follow those of the one before; when it was taken, if not a refund 0; number of charges (4), and for each:
--     index of its key in the first of the acquisitions (4), cost.
-- Reply: one string of the same kind: clock, and nothing else if the caller has gone, for then nothing was decided; for
--   each acquisition and each charge of it: how many of the times were admitted (4), and as of then: remaining,
--   reset_after, and if not all were admitted retry_after. A refund has a 0 (4), so that it is not taken for too late.
-- Leaves: what the algorithms in use leave, each key with a TTL of 400 to 800 ms more than it matters.

-- Keys end at whole steps, in µs: what resets within the same step as what was kept has a TTL that will do.
local TTL_STEP = 400000

local request = ARGV[1]
local deadline, position = unpack('>I8', request)
if deadline > 0 and clock > deadline then
  return pack('>I8', clock)
end

-- A state holds, beside what its algorithm keeps: limit, key, remaining; if it was changed, by now, its reset_after; and
-- resets_at, when what Redis keeps resets, if that says so by itself, whatever the limit is now.
local states, size_of_keys = {nil}, #KEYS
local opened = 0
while opened < size_of_keys do
  local last, name, max, window, capacity
  last, name, max, window, capacity, position = unpack('>I4sI8I8I8', request, position)
  local algorithm = algorithms[name]
  local limit = {algorithm = algorithm, max = max, window = window, capacity = capacity}
  for index = opened + 1, last do
    states[index] = algorithm.open(limit, KEYS[index])
  end
  opened = last
end

-- The charges of the run at hand: the first so many of asked, for costs.
local asked, costs = {nil}, {nil}
local reply, size_of_reply = {pack('>I8', clock), nil}, 1
local size_of_request = #request

while position <= size_of_request do
  local operation, times, acquisitions, taken_at, charges
  operation, times, acquisitions, taken_at, charges, asked[1], costs[1], position =
    unpack('>c1I4I4I8I4I4I8', request, position)
  for i = 2, charges do
    asked[i], costs[i], position = unpack('>I4I8', request, position)
  end

  for further = 0, acquisitions - 1 do
    if operation == 'R' then
      for i = 1, charges do
        local state = states[asked[i] + further]
        local algorithm = state.limit.algorithm
        if algorithm.give_back(state, costs[i], taken_at) then
          state.changed = algorithm.reset_after(state)
        end
      end
      size_of_reply = size_of_reply + 1
      reply[size_of_reply] = pack('>I4', 0)
    else
      local admitted = times
      for i = 1, charges do
        local left, cost = states[asked[i] + further].remaining, costs[i]
        if left < admitted * cost then
          admitted = (left - left % cost) / cost
        end
      end

      local takes = operation == 'A' and admitted > 0
      for i = 1, charges do
        local state, cost = states[asked[i] + further], costs[i]
        local algorithm = state.limit.algorithm
        if takes then
          algorithm.take(state, admitted * cost)
          state.remaining = state.remaining - admitted * cost
        end
        local left, reset_after = state.remaining, algorithm.reset_after(state)
        if takes then
          state.changed = reset_after
        end
        size_of_reply = size_of_reply + 1
        if admitted == times then
          reply[size_of_reply] = pack('>I4I8I8', admitted, left, reset_after)
        else
          local retry_after = left < cost and algorithm.retry_after(state, cost) or 0
          reply[size_of_reply] = pack('>I4I8I8I8', admitted, left, reset_after, retry_after)
        end
      end
    end
  end
end

for index = 1, size_of_keys do
  local state = states[index]
  local reset_after = state.changed
  if reset_after == 0 then
    call('DEL', state.key)
  elseif reset_after then
    local kept, resets_at = state.resets_at, clock + reset_after
    local step = resets_at - resets_at % TTL_STEP
    local stays = kept and kept - kept % TTL_STEP == step
    local ttl = step + 2 * TTL_STEP - clock
    state.limit.algorithm.close(state, not stays and (ttl - ttl % 1000) / 1000)
  end
end

return table.concat(reply)
