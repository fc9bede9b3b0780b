// one file, so that a bundler puts all of it into one chunk
export { refuseMessage } from '../messages/refuse-message.ts';
export { runDryRun } from '../engine/run-dry-run.ts';
export { startInProcess } from './start-in-process.ts';
export { startRun } from '../engine/start-run.ts';
export { refusedRun, refuseStart } from './unknown-setting.ts';
