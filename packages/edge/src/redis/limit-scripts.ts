import { createScript, type RedisScript } from './client.ts';

/**
 * What both scripts begin with: the account of a subject, without what is over. Keys: the account, the beginnings of
 * its calls in the last minute, its calls that go on. First argument: the time in ms, or nothing for the server's own.
 */
const account = `
local minute, day = 60000, 86400000

local function number(text)
  if text == 'Infinity' then return math.huge end
  if text == '-Infinity' then return -math.huge end
  return tonumber(text) or 0 / 0
end

local function text(value)
  if value ~= value then return 'NaN' end
  if value == math.huge then return 'Infinity' end
  if value == -math.huge then return '-Infinity' end
  return string.format('%.17g', value)
end

local at = tonumber(ARGV[1])
if not at then
  local time = redis.call('TIME')
  at = time[1] * 1000 + math.floor(time[2] / 1000)
end
local today = math.floor(at / day)

local kept = redis.call('HMGET', KEYS[1], 'day', 'spent')
local spent = kept[1] == text(today) and number(kept[2]) or 0

local begun = {}
for _, time in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  if tonumber(time) > at - minute then begun[#begun + 1] = tonumber(time) end
end

local leases, count, reserved, latest = {}, 0, 0, at
local found = redis.call('HGETALL', KEYS[3])
for i = 1, #found, 2 do
  local tokens, till = found[i + 1]:match('^(%S+) (%S+)$')
  tokens, till = number(tokens), number(till)
  if till > at then
    leases[found[i]] = tokens
    count = count + 1
    reserved = reserved + tokens
    if till > latest then latest = till end
  else
    redis.call('HDEL', KEYS[3], found[i])
    spent = spent + tokens
  end
end

-- Keeps it as long as it counts for anything, and a day longer for calls whose process went away.
local function keep()
  redis.call('HSET', KEYS[1], 'day', text(today), 'spent', text(spent))
  local ms = math.min(latest - at + 2 * day, 2 ^ 41)
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], string.format('%.0f', ms)) end
end
`;

/**
 * Further arguments: the call's id, its tokens, calls a minute, calls at once, tokens a day, ms of the lease. Gives
 * nothing where the call may begin, else why not and for how many ms.
 */
export const reserveCall: RedisScript = createScript(`${account}
local id, tokens, rpm = ARGV[2], number(ARGV[3]), number(ARGV[4])
local concurrent, daily, lease = number(ARGV[5]), number(ARGV[6]), number(ARGV[7])
if #found > 0 then keep() end
if leases[id] then return false end
if count >= concurrent then return { 'concurrent', '1000' } end
if #begun >= rpm then return { 'rpm', text((begun[1] or at) + minute - at) } end
-- Written so that NaN anywhere refuses.
if not (spent + reserved + tokens <= daily) then
  return { 'budget', text((today + 1) * day - at) }
end
while redis.call('LLEN', KEYS[2]) > #begun do redis.call('LPOP', KEYS[2]) end
redis.call('RPUSH', KEYS[2], text(at))
redis.call('HSET', KEYS[3], id, text(tokens) .. ' ' .. text(at + lease))
if at + lease > latest then latest = at + lease end
keep()
return false
`);

/** Further arguments: the call's id, its tokens. */
export const settleCall: RedisScript = createScript(`${account}
if redis.call('HDEL', KEYS[3], ARGV[2]) == 1 then spent = spent + number(ARGV[3]) end
if #found > 0 then keep() end
`);
