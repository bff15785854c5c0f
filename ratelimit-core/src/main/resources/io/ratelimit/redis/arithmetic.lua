-- Whole-number arithmetic for the algorithms that weigh or refill.

-- a * b / divisor in whole numbers: the quotient rounded down, and the remainder. Exact also where the product passes
-- the 2^53 up to which a double counts every whole number: then a is halved until it does not.
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
