-- Reads the overrides that are in force, and begins or lifts one of them.
--
-- KEYS[1]  <prefix>:overrides. Left there: a line for each, "<end in ms> <limit> <max requests> <burst or ->", until the
--          last of them ends; nothing if there is none.
-- ARGV[1]  the limit whose override begins or is lifted; empty to read alone
-- ARGV[2]  its numbers, "<max requests> <burst or ->"; empty to lift it
-- ARGV[3]  how many ms it lasts
-- Reply    Redis' clock in ms, and the lines, separated by line feeds; a line "?" among them if the key holds anything else,
--          which a change replaces. To read a key of another type is an error

local limit, numbers = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = now
local lines = {}
local unreadable = false

local function keep(ends, line)
    last = math.max(last, ends)
    lines[#lines + 1] = line
end

local kept = redis.pcall('GET', KEYS[1])
if type(kept) == 'table' then
    if limit == '' or not string.find(kept.err, 'WRONGTYPE') then
        return kept
    end
    kept = '?'
end

for line in string.gmatch(kept or '', '[^\n]+') do
    local ends, name, requests, burst = string.match(line, '^(%d+) (%S+) (%d+) (%S+)$')
    if not ends or #ends > 15 or #requests > 18 or #burst > 18 or not string.find(burst, '^%d+$') and burst ~= '-' then
        unreadable = true
    elseif tonumber(ends) > now and name ~= limit then
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

if unreadable then
    lines[#lines + 1] = '?'
end
table.insert(lines, 1, string.format('%.0f', now))
return table.concat(lines, '\n')
