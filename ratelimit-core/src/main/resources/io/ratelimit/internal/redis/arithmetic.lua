-- Whole-number arithmetic for the sliding window counter, with parts and without, and the token bucket.
-- Only in scripts of the fragments in EngineScript.COMPUTING.

-- Returns a * b / divisor rounded down, and the remainder. Exact even if the product exceeds 2^53, above which a double
-- cannot represent every whole number: then a is halved until the product fits.
local function divide(a, b, divisor)
  local product = a * b
  if product < 9007199254740992 then
    local rest = product % divisor
    return (product - rest) / divisor, rest
  end
  local half = (a - a % 2) / 2
  local quotient, rest = divide(half, b, divisor)
  quotient, rest = 2 * quotient, 2 * rest
  if a > 2 * half then
    rest = rest + b
  end
  local left = rest % divisor
  return quotient + (rest - left) / divisor, left
end

-- Compares two numbers that are whole ones and a rest each.
local function exceeds(whole, rest, other, other_rest)
  return whole > other or whole == other and rest > other_rest
end

-- Returns the sum of two numbers that are whole ones and a rest each, of which `one` makes a whole.
local function plus(whole, rest, other, other_rest, one)
  whole, rest = whole + other, rest + other_rest
  if rest >= one then
    return whole + 1, rest - one
  end
  return whole, rest
end

-- Returns the difference of two numbers that are whole ones and a rest each, of which `one` makes a whole; 0 if negative.
local function minus(whole, rest, other, other_rest, one)
  whole, rest = whole - other, rest - other_rest
  if rest < 0 then
    whole, rest = whole - 1, rest + one
  end
  if whole < 0 then
    return 0, 0
  end
  return whole, rest
end

-- Returns the largest rest of a window for which floor(count * rest / window) is at most most; 0 if there is none.
local function left_when_share_is_at_most(most, count, window)
  if most < 0 then
    return 0
  elseif count <= most then
    return window
  end
  local quotient, rest = divide(most + 1, window, count)
  return rest == 0 and quotient - 1 or quotient
end
