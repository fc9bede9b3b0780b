// An entry of its own, so that only a server that advances runs loads it.
export { activeTime } from './log/active-time.ts';
export {
  advance,
  checkAdvanceable,
  type Advanced,
  type AdvanceOptions,
  type StoredRun,
} from './durable/advance.ts';
export { isSameResponse, readResponse, type DurableCommand } from './durable/commands.ts';
export { createStoredLog, type StoredLog } from './durable/stored-log.ts';
