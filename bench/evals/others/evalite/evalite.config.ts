import { defineConfig } from 'evalite/config';

const [, repeat, , concurrency] = (process.env.SIZE ?? '').split(' ').map(Number);

export default defineConfig({ maxConcurrency: concurrency, trialCount: repeat, testTimeout: 600_000 });
