-- A fixed window whose windows are periods of a calendar. Stands after fixed-window.lua, whose states these are.
-- The application knows the calendar, and Redis the time. So in place of the window a limit has the place in the request of
-- four times (8 each): the starts of the period before that of the store's time as the application knows it, of that period,
-- of the next, and of the one after. If the clock is in none of the three, the state is not opened: the reply has the time, and
-- the application sends the batch again.
algorithms['fixed-window-calendar'] = setmetatable({
  open = function(key, place)
    end_of_acquisitions = place <= end_of_acquisitions and place - 1 or end_of_acquisitions
    local before, current, after, last = unpack('>I8I8I8I8', ARGV[1], place)
    if clock < before or clock >= last then
      return nil, true
    elseif clock < current then
      return state_in_window(key, before, current - before, 1)
    elseif clock < after then
      return state_in_window(key, current, after - current, 1)
    end
    return state_in_window(key, after, last - after, 1)
  end
}, {__index = algorithms['fixed-window']})
