-- Blocks of subjects until a time, whatever their limit has left, or caps, which are blocks that admit so much more. Twin of
-- io.ratelimit.internal.algorithm.BlockedTally, which explains it. Any limit can be blocked, and one that is not pays nothing:
-- a block stands in the place of the state, which no algorithm can read then, and only a batch that finds or begins a block
-- defines these functions.
-- Leaves in place of the state of a blocked subject one string: a mark that no state begins with (7 bytes of 255), when the
-- block began (7) and ends (7), how much it admits (7), until when the state inside matters (7), and that state as its
-- algorithm keeps it, also if it no longer matters: the clock may step back. TTL: until neither matters.
local function blocking(states, uses)
  local MARK, HEADER, LONGEST = string.rep('\255', 7), 35, 366 * 86400000000
  local direct, direct_pcall = call, pcall
  local blocks = {}

  -- The states inside that Redis has in a block, by key, so that they can be read without a write.
  local inside = {}

  local function ttl_of(micros)
    return string.format('%d', (micros + 2 * TTL_STEP) / 1000)
  end

  -- Puts a state where its algorithm expects it.
  local function restore(key, run)
    local kept, lives = inside[key].kept, math.max(0, inside[key].lives_until - clock)
    local reply = kept == '' and run('DEL', key) or run('PSETEX', key, ttl_of(lives), kept)
    if type(reply) ~= 'table' or not reply.err then
      inside[key] = nil
    end
  end

  local function seeing_inside(run)
    return function(command, key, ...)
      local state = inside[key]
      if state and command == 'GET' then
        return state.kept ~= '' and state.kept
      elseif state and command == 'GETRANGE' then
        local from, to = ...
        return string.sub(state.kept, from + 1, to + 1)
      elseif state then
        restore(key, direct)
      end
      return run(command, key, ...)
    end
  end
  call, pcall = seeing_inside(direct), seeing_inside(direct_pcall)

  -- Returns the algorithm of a state that is blocked. Its retry_after is negative if it is the block that refuses.
  local function blocked(block, algorithm)
    return {
      remaining = function(...)
        return math.min(block.left, algorithm.remaining(...))
      end,
      retry_after = function(state, max, capacity, cost, ahead)
        local wait = algorithm.retry_after(state, max, capacity, cost, ahead)
        return block.left > 0 and ahead + cost <= block.left and wait or -math.max(wait, block.ends - clock)
      end,
      take = function(state, max, capacity, cost)
        block.left, block.changes_state = block.left - cost, true
        return algorithm.take(state, max, capacity, cost)
      end,
      reset_after = function(...)
        return math.max(algorithm.reset_after(...), block.ends - clock)
      end,
      -- A decision may have known the end of the block instead of when the state was reset, but not what may stay of an entry.
      settle = function(state, max, capacity, more, taken_at, reset_after, own_alone)
        local known = algorithm.settles_entries and reset_after or 0
        local is_changed = algorithm.settle(state, max, capacity, more, taken_at, known, own_alone)
        if more > 0 and block.left > 0 then
          block.left, block.changed = math.max(0, block.left - more), true
        end
        block.changes_state = block.changes_state or is_changed
        return is_changed
      end,
      lasts = function(state)
        return math.max(algorithm.lasts(state), block.ends - clock)
      end,
      close = function(state, ttl)
        block.changed = true
        if not block.changes_state then
          return
        elseif algorithm.lasts(state) > 0 then
          algorithm.close(state, ttl, false)
        else
          call('DEL', state.key)
        end
      end
    }
  end

  local function add(block, state, algorithm)
    block.state, block.algorithm, block.changes_state = state, algorithm, state.changed
    blocks[state] = block
    return blocked(block, algorithm)
  end

  return {
    -- Returns the state that is inside of a block, and how it is used; nothing if the key has no block. One that is over is
    -- removed, so that it does not come back with a clock that steps back, and read as it is where Redis must not write.
    open = function(key, algorithm, window)
      local kept = algorithm.retry_after and read(key)
      if not kept or #kept < HEADER or string.sub(kept, 1, #MARK) ~= MARK then
        return nil
      end
      local began, ends, left, lives_until = unpack('>I7I7I7I7', kept, #MARK + 1)
      if ends < began or ends - began > LONGEST or ends > MOST_EXACT or left > MOST_EXACT or lives_until > MOST_EXACT then
        return nil
      end
      inside[key] = {kept = string.sub(kept, HEADER + 1), lives_until = lives_until}
      local block = {began = began, ends = ends, left = left, changed = false}
      if began > clock then -- the clock stepped back
        block.began, block.ends, block.changed = clock, ends - began + clock, true
      end
      local state = algorithm.open(key, window)
      if not state then
        inside[key] = nil
        return nil
      elseif block.ends > clock then
        return state, add(block, state, algorithm)
      end
      restore(key, direct_pcall)
      return state, algorithm
    end,

    begin = function(index, micros, left)
      local block = blocks[states[index]]
      if micros > 0 and not block then
        block = {ends = 0, left = math.huge}
        uses[index] = add(block, states[index], uses[index])
      end
      if micros > 0 and (left < block.left or left == block.left and clock + micros > block.ends) then
        block.began, block.ends, block.left, block.changed = clock, clock + micros, left, true
      end
    end,

    -- Puts changed states into their blocks, after they were closed.
    close = function()
      for state, block in pairs(blocks) do
        if block.changed then
          local key, lives = state.key, block.algorithm.lasts(state)
          local kept = call('GET', key) or ''
          inside[key] = nil
          direct('PSETEX', key, ttl_of(math.max(lives, block.ends - clock)),
            MARK .. pack('>I7I7I7I7', block.began, block.ends, block.left, clock + lives) .. kept)
        end
      end
    end
  }
end
