import process from 'node:process';
import promptfoo from 'promptfoo';

const [cases, repeat, latency, concurrency] = (process.env.SIZE ?? '').split(' ').map(Number);
let running = 0;
let most = 0;
const slow = async () => {
  running += 1;
  most = Math.max(most, running);
  await new Promise((resolve) => setTimeout(resolve, latency));
  running -= 1;
  return { output: 'done' };
};
const began = performance.now();
const evaluated = await promptfoo.evaluate(
  {
    prompts: ['What is {{n}} + {{n}}?'],
    providers: [Object.assign(slow, { label: 'slow' })],
    tests: Array.from({ length: cases }, (_, n) => ({
      vars: { n },
      assert: [{ type: 'equals', value: 'done' }],
    })),
    writeLatestResults: false,
  },
  { maxConcurrency: concurrency, repeat, cache: false, showProgressBar: false },
);
const ms = performance.now() - began;
const { stats } = await evaluated.toEvaluateSummary();
console.log(JSON.stringify({ ms, passed: stats.successes, most }));
process.exit(0);
