-- Reads the overrides that are in force, and begins or lifts one of them.
--
-- KEYS[1]  <prefix>:overrides. Left there: a line for each, "<end in ms> <limit> <max requests> <burst or ->", until the
--          last of them ends; nothing if there is none.
-- ARGV[1]  the limit whose override begins or is lifted; empty to read alone
-- ARGV[2]  its numbers, "<max requests> <burst or ->"; empty to lift it
-- ARGV[3]  how many ms it lasts
-- Reply    Redis' clock in ms, and the lines, separated by line feeds

local limit, numbers = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = now
local lines = {}

local function keep(ends, line)
    last = math.max(last, ends)
    lines[#lines + 1] = line
end

for line in string.gmatch(redis.call('GET', KEYS[1]) or '', '[^\n]+') do
    local ends, name = string.match(line, '^(%d+) (%S+) ')
    if name and tonumber(ends) > now and name ~= limit then
        keep(tonumber(ends), line)
    end
end

if limit ~= '' then
    if numbers ~= '' then
        local ends = now + tonumber(ARGV[3])
        keep(ends, string.format('%.0f %s %s', ends, limit, numbers))
    end
    if #lines == 0 then
        redis.call('DEL', KEYS[1])
    else
        redis.call('PSETEX', KEYS[1], string.format('%.0f', last - now), table.concat(lines, '\n'))
    end
end

table.insert(lines, 1, string.format('%.0f', now))
return table.concat(lines, '\n')
