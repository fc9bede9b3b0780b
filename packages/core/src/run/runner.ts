// one file, so that a bundler puts all of it into one chunk
export { unsendable } from './unsendable.ts';
export { rehearse } from './rehearse.ts';
export { startHere, toEnd } from './run-here.ts';
export { startRun } from './start-run.ts';
export { unknownSetting } from './unknown-setting.ts';
