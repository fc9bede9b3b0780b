// one file, so that a bundler puts all of it into one chunk
export { rehearse } from './rehearse.ts';
export { startRun } from './start-run.ts';
