import { createScript, type RedisScript } from './client.ts';

/**
 * The beginning of all scripts: it loads the account of a subject and that of its group, without expired
 * entries. Keys: the account, the start times of its calls in the last minute, its current calls, the group's
 * account. All are in one slot of a cluster, so that a call is counted for its subject and for all subjects, or
 * not at all. First argument: the time in ms, or nothing for the server's own.
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

local function count(value)
  return value >= 0 and value < math.huge
end

local at = tonumber(ARGV[1])
if not at then
  local time = redis.call('TIME')
  at = time[1] * 1000 + math.floor(time[2] / 1000)
end
local today = math.floor(at / day)

local kept = redis.call('HMGET', KEYS[1], 'day', 'tokens', 'cost')
local spent, cost = 0, 0
if kept[1] == text(today) then spent, cost = number(kept[2]), number(kept[3]) end

-- Of all together: what is spent today, and what calls in progress have reserved, by the day in which their leases end.
local total = { tokens = 0, cost = 0, days = {} }
local changed = false
local fields = redis.call('HGETALL', KEYS[4])
local totalDay
for i = 1, #fields, 2 do
  local name, till = fields[i]:match('^(%a+):(.+)$')
  if fields[i] == 'day' then totalDay = fields[i + 1]
  elseif name and number(till) >= today then
    total.days[till] = total.days[till] or { tokens = 0, cost = 0 }
    total.days[till][name] = number(fields[i + 1])
  elseif name then
    redis.call('HDEL', KEYS[4], fields[i])
  end
end
if totalDay == text(today) then
  local sums = redis.call('HMGET', KEYS[4], 'tokens', 'cost')
  total.tokens, total.cost = number(sums[1]), number(sums[2])
end

-- Counts for all together what a lease reserves more, or less.
local function addReserved(till, tokens, cost)
  local last = text(math.floor(till / day))
  if number(last) < today then return end
  local sums = total.days[last] or { tokens = 0, cost = 0 }
  total.days[last] = { tokens = sums.tokens + tokens, cost = sums.cost + cost }
  changed = true
end

local function addSpent(tokens, more)
  spent, cost = spent + tokens, cost + more
  total.tokens, total.cost = total.tokens + tokens, total.cost + more
  changed = true
end

local begun = {}
for _, time in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  if tonumber(time) > at - minute then begun[#begun + 1] = tonumber(time) end
end

local leases, under, latest = {}, 0, at
local own = { tokens = 0, cost = 0 }
local found = redis.call('HGETALL', KEYS[3])
for i = 1, #found, 2 do
  local tokens, money, till, epoch = found[i + 1]:match('^(%S+) (%S+) (%S+) ?(%S*)$')
  tokens, money, till = number(tokens), number(money), number(till)
  if till > at then
    leases[found[i]] = { tokens = tokens, cost = money, till = till, epoch = tonumber(epoch) or 0 }
    under = under + 1
    own.tokens, own.cost = own.tokens + tokens, own.cost + money
    if till > latest then latest = till end
  else
    redis.call('HDEL', KEYS[3], found[i])
    addReserved(till, -tokens, -money)
    -- It counts for the day in which it ended.
    if math.floor(till / day) == today then addSpent(tokens, money) end
  end
end

-- Keeps it as long as it counts for anything, and a day longer for calls whose process has ended.
local function expire(key)
  local ms = math.min(latest - at + 2 * day, 2 ^ 41)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, string.format('%.0f', ms)) end
end

local function keep()
  redis.call('HSET', KEYS[1], 'day', text(today), 'tokens', text(spent), 'cost', text(cost))
  for i = 1, 3 do expire(KEYS[i]) end
  if not changed then return end
  redis.call('HSET', KEYS[4], 'day', text(today), 'tokens', text(total.tokens), 'cost', text(total.cost))
  for till, sums in pairs(total.days) do
    redis.call('HSET', KEYS[4], 'tokens:' .. till, text(sums.tokens), 'cost:' .. till, text(sums.cost))
  end
  expire(KEYS[4])
end

local untilMidnight = (today + 1) * day - at

-- Why a call may not reserve so much more than it has. Written so that NaN anywhere refuses.
local function refusal(more, moreMoney, tokens, money)
  -- Reservations of calls in progress are released before the day is over.
  local function wait(isHeld)
    return text(isHeld and math.min(1000, untilMidnight) or untilMidnight)
  end
  local daily, dailyCost = number(ARGV[5]), number(ARGV[6])
  if not (spent + own.tokens + more <= daily and cost + own.cost + moreMoney <= dailyCost) then
    return { 'budget', wait(spent + tokens <= daily and cost + money <= dailyCost) }
  end
  local all = { tokens = total.tokens + more, cost = total.cost + moreMoney }
  for _, sums in pairs(total.days) do
    all.tokens, all.cost = all.tokens + sums.tokens, all.cost + sums.cost
  end
  local totalDaily, totalCost = number(ARGV[7]), number(ARGV[8])
  if not (all.tokens <= totalDaily and all.cost <= totalCost) then
    return { 'total', wait(total.tokens + tokens <= totalDaily and total.cost + money <= totalCost) }
  end
end

local function noAmount()
  return { 'budget', text(untilMidnight) }
end

local function lease(id, tokens, money, till, epoch)
  redis.call('HSET', KEYS[3], id, table.concat({ text(tokens), text(money), text(till), text(epoch) }, ' '))
  if till > latest then latest = till end
end
`;

/**
 * Further arguments: the call's id, its tokens and cost, the daily tokens and cost of the subject, and of all
 * subjects, calls per minute, calls at once, ms of the lease, 'true' if it continues an earlier call, the epoch.
 * Returns nothing if the call may begin; otherwise the reason, and for how many ms.
 */
export const reserveCall: RedisScript = createScript(`${account}
local id, tokens, money = ARGV[2], number(ARGV[3]), number(ARGV[4])
local rpm, concurrent, till = number(ARGV[9]), number(ARGV[10]), at + number(ARGV[11])
local epoch, earlier = tonumber(ARGV[13]) or 0, leases[id]
if earlier and earlier.epoch < epoch then
  redis.call('HDEL', KEYS[3], id)
  addReserved(earlier.till, -earlier.tokens, -earlier.cost)
  addSpent(earlier.tokens, earlier.cost)
  own.tokens, own.cost, under = own.tokens - earlier.tokens, own.cost - earlier.cost, under - 1
  earlier = nil
end
if #found > 0 then keep() end
if earlier and earlier.epoch == epoch then return false end
if earlier or under >= concurrent then return { 'concurrent', '1000' } end
local continues = ARGV[12] == 'true'
if not continues and #begun >= rpm then return { 'rpm', text((begun[1] or at) + minute - at) } end
if not (count(tokens) and count(money)) then return noAmount() end
local refused = refusal(tokens, money, tokens, money)
if refused then return refused end
while redis.call('LLEN', KEYS[2]) > #begun do redis.call('LPOP', KEYS[2]) end
if not continues then redis.call('RPUSH', KEYS[2], text(at)) end
lease(id, tokens, money, till, epoch)
addReserved(till, tokens, money)
keep()
return false
`);

/**
 * Further arguments: the call's id, its tokens and cost, the daily tokens and cost of the subject, and of all
 * subjects, ms until the end of the lease, or nothing to keep its end, and the epoch, or nothing for any. Returns
 * nothing if that was reserved; otherwise the reason, and for how many ms.
 */
export const adjustCall: RedisScript = createScript(`${account}
local id, tokens, money = ARGV[2], number(ARGV[3]), number(ARGV[4])
if #found > 0 then keep() end
local before = leases[id]
if not before or (ARGV[10] ~= '' and before.epoch ~= tonumber(ARGV[10])) then return { 'ended', '0' } end
if not (count(tokens) and count(money)) then return noAmount() end
local more, moreMoney = tokens - before.tokens, money - before.cost
if more > 0 or moreMoney > 0 then
  local refused = refusal(more, moreMoney, tokens, money)
  if refused then return refused end
end
local till = before.till
if ARGV[9] ~= '' then till = at + number(ARGV[9]) end
lease(id, tokens, money, till, before.epoch)
addReserved(before.till, -before.tokens, -before.cost)
addReserved(till, tokens, money)
keep()
return false
`);

/** Further arguments: the call's id, its tokens and cost, and the epoch, or nothing for any. */
export const settleCall: RedisScript = createScript(`${account}
local tokens, money = number(ARGV[3]), number(ARGV[4])
local before = leases[ARGV[2]]
if before and (ARGV[5] == '' or before.epoch == tonumber(ARGV[5])) then
  redis.call('HDEL', KEYS[3], ARGV[2])
  addReserved(before.till, -before.tokens, -before.cost)
  if not (count(tokens) and count(money)) then tokens, money = before.tokens, before.cost end
  addSpent(tokens, money)
end
if #found > 0 then keep() end
`);
