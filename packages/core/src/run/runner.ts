// one file, so that a bundler puts all of it into one chunk
export { unsendableMessageError } from './unsendable.ts';
export { runDryRun } from './rehearse.ts';
export { startInProcess, toEnd } from './run-here.ts';
export { startRun } from './start-run.ts';
export { unknownSetting } from './unknown-setting.ts';
