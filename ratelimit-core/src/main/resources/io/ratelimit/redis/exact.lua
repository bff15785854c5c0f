-- a * b / divisor in whole numbers: the quotient rounded down, and what is left over. Right also where the product
-- passes the 2^53 up to which a double counts every whole number: then a is halved until it does not.
local algorithms = {}
local floor = math.floor

local function divide(a, b, divisor)
  local product = a * b
  if product < 9007199254740992 then
    local quotient = floor(product / divisor)
    return quotient, product - quotient * divisor
  end
  local half = floor(a / 2)
  local quotient, rest = divide(half, b, divisor)
  quotient, rest = 2 * quotient, 2 * rest
  if a > 2 * half then
    rest = rest + b
  end
  local more = floor(rest / divisor)
  return quotient + more, rest - more * divisor
end
