import process from 'node:process';
import { definePrompt } from '@cueline/core';
import {
  defineEval,
  memoryEvalStore,
  runEval,
  type EvalDefinition,
  type EvalStore,
} from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';
import { streamText } from 'ai';
import { printTable } from '../table.ts';
import { benchBesideOthers } from './other-packages.ts';

const CASES = 2_000;
const REPEAT = 3;
const LATENCY = 300;
const CONCURRENCY = 50;
const MANY_CASES = 10_000;

type Model = ReturnType<typeof scriptedModel>;

const ask = definePrompt('ask', (prompt, { n }: { n: number }) => prompt.$`What is ${n} + ${n}?`);

/** Measures the cost of an evaluation besides its model calls. */
export async function benchEvals(): Promise<void> {
  const ideal = (CASES * REPEAT * LATENCY) / CONCURRENCY;
  const plain = await timeOf(() => callOnly());
  const whole = await timeOf(async () =>
    check(await runEval(evalOf(CASES, REPEAT), { models: slowModel(), concurrency: CONCURRENCY })),
  );
  const { calls, repeated } = await stopAndResume();
  printTable(`${CASES} cases × ${REPEAT}, ${LATENCY} ms each, ${CONCURRENCY} at the same time`, [
    ['', 'seconds', 'to the ideal'],
    ['ideal: the waiting alone', seconds(ideal), '×1.00'],
    ['streamText, without an evaluation', seconds(plain), ratio(plain, ideal)],
    ['runEval', seconds(whole), ratio(whole, ideal)],
  ]);
  printTable('stopped at half and resumed', [
    ['model calls', 'runs', 'calls of ended runs that were repeated'],
    [String(calls), String(CASES * REPEAT), String(repeated)],
  ]);
  const memory = await memoryOf(MANY_CASES);
  printTable(`memory of ${MANY_CASES} cases, with all their results in the report`, [
    ['', 'MB'],
    ['largest heap', (memory.heap / 1e6).toFixed(0)],
    ['largest resident set', (memory.resident / 1e6).toFixed(0)],
  ]);
  await benchBesideOthers({ cases: CASES, repeat: REPEAT, latency: LATENCY, concurrency: CONCURRENCY });
}

function evalOf(count: number, repeat: number): EvalDefinition<{ n: number }> {
  const cases = Array.from({ length: count }, (_, n) => ({ input: { n }, expect: 'done' }));
  return defineEval({ prompt: ask, cases, repeat });
}

/** A model that answers each request with one word, after the latency. */
function slowModel(delay = LATENCY, onCall: (request: string) => void = () => {}): Model {
  const model = scriptedModel([]);
  return {
    ...model,
    doStream(options) {
      onCall(JSON.stringify(options.prompt));
      return scriptedModel([[{ delay }, 'done']]).doStream(options);
    },
  };
}

/** Makes the same calls at the same concurrency, and nothing else. */
async function callOnly(): Promise<void> {
  const model = slowModel();
  let left = CASES * REPEAT;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await streamText({ model, prompt: `What is ${left} + ${left}?` }).text;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function stopAndResume(): Promise<{ calls: number; repeated: number }> {
  let calls = 0;
  const ended = new Map<string, number>();
  const store = countingStore(ended);
  const model = slowModel(20, () => (calls += 1));
  const controller = new AbortController();
  const evaluation = evalOf(CASES, REPEAT);
  await runEval(evaluation, {
    models: model,
    concurrency: CONCURRENCY,
    store,
    signal: controller.signal,
    onResult: (_, { done, total }) => done === total / 2 && controller.abort(),
  });
  check(await runEval(evaluation, { models: model, concurrency: CONCURRENCY, store }));
  return { calls, repeated: [...ended.values()].filter((count) => count > 1).length };
}

/** Counts how often the result of each run was stored. */
function countingStore(ended: Map<string, number>): EvalStore {
  const store = memoryEvalStore();
  return {
    get: (key) => store.get(key),
    set(key, log) {
      ended.set(key, (ended.get(key) ?? 0) + 1);
      return store.set(key, log);
    },
  };
}

async function memoryOf(count: number): Promise<{ heap: number; resident: number }> {
  globalThis.gc?.();
  const largest = { heap: 0, resident: 0 };
  const timer = setInterval(() => {
    const { heapUsed, rss } = process.memoryUsage();
    largest.heap = Math.max(largest.heap, heapUsed);
    largest.resident = Math.max(largest.resident, rss);
  }, 20);
  check(await runEval(evalOf(count, 1), { models: slowModel(1), concurrency: CONCURRENCY }));
  clearInterval(timer);
  return largest;
}

function check({ passed, name }: { passed: boolean; name: string }): void {
  if (!passed) throw new Error(`Eval "${name}" did not pass, so its time says nothing.`);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function ratio(ms: number, ideal: number): string {
  return `×${(ms / ideal).toFixed(2)}`;
}
