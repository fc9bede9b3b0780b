// An entry of its own, so that only a page that replays runs loads it.
export { replay, type Replay, type ReplayOptions } from './executors/replay.ts';
export { continuableSteps, logBefore } from './run/keep-steps.ts';
export { settleOpenCalls, type CallSettlement } from './log/settle-open-calls.ts';
export { editLog, type LogEdit } from './run/edit-log.ts';
