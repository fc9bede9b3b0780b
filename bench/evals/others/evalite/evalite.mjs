import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInMemoryStorage } from 'evalite/in-memory-storage';
import { runEvalite } from 'evalite/runner';

const storage = createInMemoryStorage();
const began = performance.now();
await runEvalite({
  mode: 'run-once-and-exit',
  storage,
  hideTable: true,
  disableServer: true,
  outputPath: 'evalite.json',
});
const ms = performance.now() - began;
const { evals } = JSON.parse(readFileSync('evalite.json', 'utf8'));
const passed = evals
  .flatMap(({ results }) => results)
  .filter(({ scores }) => scores.every(({ score }) => score === 1));
console.log(JSON.stringify({ ms, passed: passed.length, most: Number(readFileSync('most.txt', 'utf8')) }));
process.exit(0);
