-- What the fragments of the algorithms share: where they register, what they call, and whole-number arithmetic.
-- Constants go to Redis as strings: a number it prints by %.17g (7.0 does), a twentieth of a decision's time in a batch.
local algorithms = {}
local call = redis.call
local pack, unpack = struct.pack, struct.unpack

-- a * b / divisor in whole numbers: the quotient rounded down, and what is left over. Right also where the product
-- passes the 2^53 up to which a double counts every whole number: then a is halved until it does not.
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
