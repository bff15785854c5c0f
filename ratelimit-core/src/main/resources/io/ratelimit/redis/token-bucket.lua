-- A bucket of capacity tokens, refilled at max per window. Twin of io.ratelimit.algorithm.TokenBucket, which says how.
-- Leaves one string a subject, 12 bytes: the time at which the bucket is full again in µs (7), and the rest of it in
-- parts of 1/max µs (5). TTL: until the bucket is full.
algorithms['token-bucket'] = {
  open = function(self, key, max, window, capacity)
    local micros, parts = 0, 0
    local kept = call('GET', key)
    if kept then
      local full_at, full_at_parts = struct.unpack('>I7I5', kept)
      if full_at >= clock then
        micros, parts = full_at - clock, full_at_parts < max and full_at_parts or max - 1
      end
    end
    local whole_micros, whole_parts = window, 0
    if capacity ~= max then
      whole_micros, whole_parts = divide(capacity, window, max)
    end
    return {
      max = max, window = window, micros = micros, parts = parts,
      whole_micros = whole_micros, whole_parts = whole_parts, algorithm = self, changed = false
    }
  end,

  retry_after = function(state, cost)
    local micros, parts = divide(cost, state.window, state.max)
    local lacking = state.micros + micros - state.whole_micros
    local lacking_parts = state.parts + parts - state.whole_parts
    if lacking < 0 and lacking_parts <= state.max then
      return 0
    end
    lacking = lacking - (-lacking_parts - -lacking_parts % state.max) / state.max
    return lacking > 0 and lacking or 0
  end,

  take = function(state, cost)
    local micros, parts = divide(cost, state.window, state.max)
    micros, parts = state.micros + micros, state.parts + parts
    if parts >= state.max then
      micros, parts = micros + 1, parts - state.max
    end
    state.micros, state.parts = micros, parts
  end,

  give_back = function(state, cost, taken_at)
    local micros, parts = divide(cost, state.window, state.max)
    local worth = clock > taken_at and micros - (clock - taken_at) or micros
    if worth < 0 then
      return false
    end
    micros, parts = state.micros - worth, state.parts - parts
    if parts < 0 then
      micros, parts = micros - 1, parts + state.max
    end
    if micros < 0 then
      micros, parts = 0, 0
    end
    state.micros, state.parts = micros, parts
    return true
  end,

  status = function(state)
    local micros, parts = state.whole_micros - state.micros, state.whole_parts - state.parts
    if parts < 0 then
      micros, parts = micros - 1, parts + state.max
    end
    local reset_after = state.parts > 0 and state.micros + 1 or state.micros
    if micros < 0 then
      return 0, reset_after
    end
    local tokens, rest = divide(micros, state.max, state.window)
    rest = rest + parts
    return tokens + (rest - rest % state.window) / state.window, reset_after
  end,

  close = function(key, state, ttl)
    call('SET', key, struct.pack('>I7I5', clock + state.micros, state.parts), 'PX', ttl)
  end
}
