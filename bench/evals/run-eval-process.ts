// The same work as others/promptfoo/promptfoo.mjs and others/evalite/evalite.mjs, with runEval, in a process of its
// own.
import process from 'node:process';
import { definePrompt } from '@cueline/core';
import { defineEval, runEval } from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';

const [cases = 0, repeat = 1, latency = 0, concurrency = 1] = (process.env.SIZE ?? '').split(' ').map(Number);
let running = 0;
let most = 0;
const base = scriptedModel([]);
const slow: typeof base = {
  ...base,
  async doStream(options) {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, latency));
    running -= 1;
    return scriptedModel(['done']).doStream(options);
  },
};
const began = performance.now();
const report = await runEval(
  defineEval({
    prompt: definePrompt('ask', (prompt, { n }: { n: number }) => prompt.$`What is ${n} + ${n}?`),
    cases: Array.from({ length: cases }, (_, n) => ({ input: { n }, expect: 'done' })),
    repeat,
  }),
  { models: slow, concurrency },
);
const ms = performance.now() - began;
console.log(JSON.stringify({ ms, passed: report.groups[0]?.passed, most }));
