// Apart from the rest, so that only a page that shows the past loads it.
export { replay, type Replay, type ReplayOptions } from './executors/replay.ts';
export { continuableSteps, logBefore } from './run/keep-steps.ts';
export { settleOpenCalls, type CallSettlement } from './log/settle-open-calls.ts';
export { editLog, type LogEdit } from './run/edit-log.ts';
