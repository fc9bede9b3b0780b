import { createScript, type RedisScript } from './client.ts';

// Every script uses only the keys of one run, or one name, so that they are in one slot of a cluster.

/** Keys: the run. Arguments: subject, ms to keep it after its end, ms to keep it without an end. */
export const createRun: RedisScript = createScript(`
redis.call('HSET', KEYS[1], 'subject', ARGV[1], 'replay', ARGV[2], 'length', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
`);

/** Keys: the run, its events, its messages. */
export const forgetRun: RedisScript = createScript(`
redis.call('DEL', unpack(KEYS))
`);

/**
 * Keys: the run. Returns its subject, how many events it has, and '1' if it has ended; or nothing for an unknown run.
 */
export const readRun: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'subject', 'length', 'ended')
if not run[1] then return false end
return { run[1], run[2], run[3] or '0' }
`);

/**
 * Keys: a name. Arguments: the run that claims it, ms until it expires, and the run that may lose it, or
 * nothing, or '*' for any. Returns the run that keeps it instead.
 */
export const claimName: RedisScript = createScript(`
local known = redis.call('GET', KEYS[1])
if known and ARGV[3] ~= '*' and known ~= ARGV[3] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
`);

/** Keys: a name. Returns the run that has it. */
export const readName: RedisScript = createScript(`
return redis.call('GET', KEYS[1])
`);

/**
 * Keys: the run, its events, its messages. Arguments: the channel of its events, the number of the first of
 * these, '1' if the last of them is the end, and the events. Returns how many events there are then, and '1' if
 * they have ended, '2' if they had ended before; or nothing for an unknown run.
 */
export const appendEvents: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'replay', 'ended')
if not run[1] then return false end
if run[3] then return { run[1], 2 } end
local length, first = tonumber(run[1]), tonumber(ARGV[2])
local last = first + #ARGV - 4
if first > length or last < length then return { length, 0 } end
for seq = length, last do
  redis.call('XADD', KEYS[2], seq .. '-1', 'event', ARGV[seq - first + 4])
end
redis.call('HSET', KEYS[1], 'length', last + 1)
local ended = ARGV[3] == '1'
if ended then
  redis.call('HSET', KEYS[1], 'ended', 1)
  redis.call('PEXPIRE', KEYS[1], run[2])
  redis.call('PEXPIRE', KEYS[3], run[2])
end
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
redis.call('PUBLISH', ARGV[1], '')
return { last + 1, ended and 1 or 0 }
`);

/**
 * Keys: the run, its events. Arguments: the first number to read, how many events, how many bytes after which
 * no more are added. Returns how many there are, '1' if the run has ended, the ms until it expires, and if
 * there are any, the id of the first entry and the events; or nothing for an unknown run.
 */
export const readEvents: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'ended')
if not run[1] then return false end
local found = { run[1], run[2] or '0', tostring(redis.call('PTTL', KEYS[1])) }
if tonumber(ARGV[1]) >= tonumber(run[1]) then return found end
local bytes, limit = 0, tonumber(ARGV[3])
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[1] .. '-1', '+', 'COUNT', ARGV[2])) do
  local event = entry[2][2]
  if not found[4] then found[4] = entry[1] end
  found[#found + 1] = event
  bytes = bytes + #event
  if bytes >= limit then break end
end
return found
`);

/**
 * Keys: the run, its messages. Arguments: the channel of its messages, the message, how many to keep, and how many
 * bytes of them. The latest one is always kept.
 */
export const addMessage: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'ended')
if not run[1] or run[2] then return end
redis.call('XADD', KEYS[2], '*', 'message', ARGV[2])
local count, bytes = redis.call('XLEN', KEYS[2]), redis.call('HINCRBY', KEYS[1], 'messageBytes', #ARGV[2])
while count > 1 and (count > tonumber(ARGV[3]) or bytes > tonumber(ARGV[4])) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  count, bytes = count - 1, redis.call('HINCRBY', KEYS[1], 'messageBytes', -#oldest[2][2])
end
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
redis.call('PUBLISH', ARGV[1], '')
`);

/** Keys: the messages of a run. Returns the id of the latest, or nothing if there is none. */
export const readLatestId: RedisScript = createScript(`
local latest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
return latest[1] and latest[1][1]
`);

/**
 * Keys: the run, its messages. Arguments: the first id to read, how many messages, how many bytes after which no
 * more are added. Returns the ms until the run expires, '1' if there may be more messages, and for each message its id
 * and text; or nothing for an unknown run.
 */
export const readMessages: RedisScript = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local entries = redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2])
local found = { tostring(redis.call('PTTL', KEYS[1])), #entries < tonumber(ARGV[2]) and '0' or '1' }
local bytes, limit = 0, tonumber(ARGV[3])
for index, entry in ipairs(entries) do
  found[#found + 1] = entry[1]
  found[#found + 1] = entry[2][2]
  bytes = bytes + #entry[2][2]
  if bytes >= limit and index < #entries then
    found[2] = '1'
    break
  end
end
return found
`);
