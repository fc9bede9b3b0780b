import { createScript, type RedisScript } from './client.ts';

// Every script keeps to the keys of one run, or to one name, so that they are in one slot of a cluster.

/** Keys: the run. Arguments: subject, ms that it is kept after its end, ms that it is kept without one. */
export const createRun: RedisScript = createScript(`
redis.call('HSET', KEYS[1], 'subject', ARGV[1], 'replay', ARGV[2], 'length', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
`);

/** Keys: the run, its events, its messages. */
export const forgetRun: RedisScript = createScript(`
redis.call('DEL', unpack(KEYS))
`);

/** Keys: the run. Gives its subject. */
export const readSubject: RedisScript = createScript(`
return redis.call('HGET', KEYS[1], 'subject')
`);

/**
 * Keys: a name. Arguments: the run that is to have it, ms until it is forgotten, and the run that may lose it, or
 * nothing, or '*' for any. Gives the run that has it instead.
 */
export const claimName: RedisScript = createScript(`
local known = redis.call('GET', KEYS[1])
if known and ARGV[3] ~= '*' and known ~= ARGV[3] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
`);

/** Keys: a name. Gives the run that has it. */
export const readName: RedisScript = createScript(`
return redis.call('GET', KEYS[1])
`);

/**
 * Keys: the run, its events, its messages. Arguments: the channel of its events; then for each event its number, '1' where it is the
 * end, and itself. Gives how many events there are then, and '1' where they have ended, '2' where they had before; or
 * nothing where the run is not known.
 */
export const appendEvents: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'replay', 'ended')
if not run[1] then return false end
if run[3] then return { run[1], 2 } end
local before = tonumber(run[1])
local length, ended = before, false
for i = 2, #ARGV, 3 do
  local seq = tonumber(ARGV[i])
  if ended or seq > length then break end
  if seq == length then
    redis.call('XADD', KEYS[2], ARGV[i] .. '-1', 'event', ARGV[i + 2])
    length = length + 1
    ended = ARGV[i + 1] == '1'
  end
end
if length == before then return { length, ended and 1 or 0 } end
redis.call('HSET', KEYS[1], 'length', length)
if ended then
  redis.call('HSET', KEYS[1], 'ended', 1)
  redis.call('PEXPIRE', KEYS[1], run[2])
  redis.call('PEXPIRE', KEYS[3], run[2])
end
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
redis.call('PUBLISH', ARGV[1], '')
return { length, ended and 1 or 0 }
`);

/**
 * Keys: the run, its events. Arguments: the first number to read, how many events, how many bytes before no more are
 * added. Gives how many there are, '1' where the run has ended, the ms until it is forgotten, and the events; or nothing
 * where the run is not known.
 */
export const readEvents: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'ended')
if not run[1] then return false end
local found = { run[1], run[2] or '0', tostring(redis.call('PTTL', KEYS[1])) }
if tonumber(ARGV[1]) >= tonumber(run[1]) then return found end
local bytes, limit = 0, tonumber(ARGV[3])
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[1] .. '-1', '+', 'COUNT', ARGV[2])) do
  local event = entry[2][2]
  found[#found + 1] = event
  bytes = bytes + #event
  if bytes >= limit then break end
end
return found
`);

/** Keys: the run, its messages. Arguments: the channel of its messages, the message. */
export const addMessage: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'length', 'ended')
if not run[1] or run[2] then return end
redis.call('XADD', KEYS[2], '*', 'message', ARGV[2])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
redis.call('PUBLISH', ARGV[1], '')
`);

/** Keys: the messages of a run. Gives the id of the latest, or nothing where there is none. */
export const readLatestId: RedisScript = createScript(`
local latest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
return latest[1] and latest[1][1]
`);

/**
 * Keys: the run, its messages. Arguments: the first id to read, how many messages. Gives the ms until the
 * run is forgotten, and for each message its id and itself; or nothing where the run is not known.
 */
export const readMessages: RedisScript = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local found = { tostring(redis.call('PTTL', KEYS[1])) }
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2])) do
  found[#found + 1] = entry[1]
  found[#found + 1] = entry[2][2]
end
return found
`);
