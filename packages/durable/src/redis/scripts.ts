import { createScript, type RedisScript } from './client.ts';

// Each script uses only the keys of one run, or one other key, so that all its keys are in one slot of a cluster.

/** Keys: a name. Arguments: the run that takes it. Returns the run that has it. */
export const takeName: RedisScript = createScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`);

/** Keys: a name. Arguments: a run that does not have it. Removes the name from this run. */
export const dropName: RedisScript = createScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

/**
 * Keys: the run. Arguments: its start, and its key as JSON (`null` for none). Returns 'created'; for a run that
 * exists, 'known', or 'other' if it has another key.
 */
export const createRun: RedisScript = createScript(`
if redis.call('HSETNX', KEYS[1], 'start', ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], 'epoch', 0, 'sent', 0, 'key', ARGV[2])
  return 'created'
end
local key = redis.call('HGET', KEYS[1], 'key')
if key and ARGV[2] ~= 'null' and key ~= ARGV[2] then return 'other' end
return 'known'
`);

/**
 * Keys: the run, its events, its commands. Arguments: the number of the first event to read. Returns the new epoch,
 * the start, the number of these events, the events and the commands; 'ended' for a run that has ended; nothing for
 * an unknown run.
 */
export const claimRun: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'start', 'ended')
if not run[1] then return false end
if run[2] then return 'ended' end
local found = { tostring(redis.call('HINCRBY', KEYS[1], 'epoch', 1)), run[1] }
local events = redis.call('LRANGE', KEYS[2], ARGV[1], -1)
found[3] = tostring(#events)
for _, event in ipairs(events) do found[#found + 1] = event end
for _, command in ipairs(redis.call('HVALS', KEYS[3])) do found[#found + 1] = command end
return found
`);

/**
 * Keys: the run, its events, its commands. Arguments: the epoch, the number of the first event, '1' if the last one
 * is the end, and the events: in each argument at most 1,000, each of them on a line. Returns 1 if the events are
 * stored; without events, if the run still has this epoch and has not ended.
 */
export const appendEvents: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'epoch', 'ended')
if run[1] ~= ARGV[1] or run[2] then return 0 end
if #ARGV > 3 and redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[2]) then return 0 end
for at = 4, #ARGV do
  local events = {}
  for event in string.gmatch(ARGV[at], '[^\\n]+') do events[#events + 1] = event end
  redis.call('RPUSH', KEYS[2], unpack(events))
end
if ARGV[3] == '1' then
  redis.call('HSET', KEYS[1], 'ended', 1)
  redis.call('DEL', KEYS[3])
end
return 1
`);

/**
 * Keys: the run, its commands. Arguments: the name, the command. Returns the command that the run then has under the
 * name; nothing if the run has ended or is unknown.
 */
export const sendCommand: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'start', 'ended')
if not run[1] or run[2] then return false end
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return known end
local sent = redis.call('HINCRBY', KEYS[1], 'sent', 1) .. ' ' .. ARGV[2]
redis.call('HSET', KEYS[2], ARGV[1], sent)
return sent
`);

/** Keys: the commands. Returns them. */
export const readCommands: RedisScript = createScript(`
return redis.call('HVALS', KEYS[1])
`);

/** Keys: the commands. Arguments: the names of the commands to remove. */
export const forgetCommands: RedisScript = createScript(`
for _, name in ipairs(ARGV) do redis.call('HDEL', KEYS[1], name) end
`);

/**
 * Keys: the run, its events. Arguments: the number of the first event to read. Returns '1' if the run has ended or
 * else '0', and the events; nothing for an unknown run.
 */
export const readRun: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'start', 'ended')
if not run[1] then return false end
local found = redis.call('LRANGE', KEYS[2], ARGV[1], -1)
table.insert(found, 1, run[2] or '0')
return found
`);

/** Keys: the unfinished runs. Arguments: the time, a run. */
export const addUnfinished: RedisScript = createScript(`
redis.call('ZADD', KEYS[1], 'NX', ARGV[1], ARGV[2])
`);

/** Keys: the unfinished runs. Arguments: a run. */
export const removeUnfinished: RedisScript = createScript(`
redis.call('ZREM', KEYS[1], ARGV[1])
`);

/** Keys: the unfinished runs. */
export const readUnfinished: RedisScript = createScript(`
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

/** Keys: the runs of a conversation. Arguments: a run. If the list has it already, it keeps its place. */
export const addTurn: RedisScript = createScript(`
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], 'NX', time[1] * 1000000 + time[2], ARGV[1])
`);

/** Keys: the runs of a conversation. Arguments: a place, 0 for the latest. Returns the run there. */
export const readTurn: RedisScript = createScript(`
return redis.call('ZREVRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
`);

/** Keys: a name. Returns the run that has it. */
export const readName: RedisScript = createScript(`
return redis.call('GET', KEYS[1])
`);

/**
 * Keys: the run, its events. Returns its start, the number of its events, '1' if it has ended or else '0', and its
 * key as JSON if it is known.
 */
export const describeRun: RedisScript = createScript(`
local run = redis.call('HMGET', KEYS[1], 'start', 'ended', 'key')
if not run[1] then return false end
return { run[1], tostring(redis.call('LLEN', KEYS[2])), run[2] or '0', run[3] or nil }
`);
