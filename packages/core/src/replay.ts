// Apart from the rest, so that only a page that shows the past loads it.
export { replay, type Replay, type ReplayOptions } from './executors/replay.ts';
