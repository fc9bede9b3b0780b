// Apart from the rest, so that only a server that advances runs loads it.
export {
  advance,
  checkAdvanceable,
  type Advanced,
  type AdvanceOptions,
  type StoredRun,
} from './durable/advance.ts';
export type { DurableCommand } from './durable/commands.ts';
