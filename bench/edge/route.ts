import process from 'node:process';
import { createRun, inProcess, type RunOptions, viaRoute } from '@cueline/core';
import { deltaModel, deltaText } from '../core/delta-model.ts';
import { median, printTable } from '../table.ts';
import { startProcess } from './process.ts';
import { say, WORDS } from './say-prompt.ts';

const RUNS = 50;
const ROUNDS = 3;

type Round = { perSecond: number; here: number; there: number };

/** Measures the cost of running prompts on a server, compared with running them in this process. */
export async function benchRoute(): Promise<void> {
  using served = await startProcess('served-route.ts', 'route', 'burst');
  let asked = 0;
  const ways: Record<string, () => RunOptions> = {
    'in process': () => ({ executor: inProcess(), model: deltaModel(WORDS) }),
    'by the route': () => ({
      executor: viaRoute(served.url, {
        headers: { authorization: `Bearer ${asked++ % 100}`, origin: 'https://play.example' },
      }),
    }),
  };
  const names = Object.keys(ways);
  const rounds = names.map(() => [] as Round[]);
  for (let round = -1; round < ROUNDS; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const index = (turn + round + 1) % names.length;
      globalThis.gc?.();
      const before = (await served.usage()).cpu;
      const here = process.cpuUsage();
      const from = performance.now();
      await Promise.all(Array.from({ length: RUNS }, () => readRun(ways[names[index]!]!())));
      const seconds = (performance.now() - from) / 1_000;
      const { user, system } = process.cpuUsage(here);
      const words = RUNS * WORDS;
      const there = ((await served.usage()).cpu - before) / words;
      if (round >= 0)
        rounds[index]!.push({ perSecond: words / seconds, here: (user + system) / words, there });
    }
  }
  const of = (index: number, what: keyof Round): number => median(rounds[index]!.map((round) => round[what]));
  const [first = []] = rounds;
  printTable(`edge: ${RUNS} runs at once of ${WORDS} words, watched, median of ${ROUNDS} rounds`, [
    ['', 'words/s', 'ratio', 'CPU of who watches', 'of the server'],
    ...names.map((name, index) => [
      name,
      of(index, 'perSecond').toFixed(0),
      `×${median(rounds[index]!.map(({ perSecond }, at) => perSecond / first[at]!.perSecond)).toFixed(2)}`,
      `${of(index, 'here').toFixed(1)} µs/word`,
      index === 0 ? '' : `${of(index, 'there').toFixed(1)} µs/word`,
    ]),
  ]);
}

/** Reads a run to its end. Throws if words are missing. */
async function readRun(options: RunOptions): Promise<void> {
  const run = createRun(say, options);
  let seen = 0;
  run.subscribe(() => (seen += 1));
  const text = await run.start();
  if (text !== deltaText.repeat(WORDS) || seen === 0) {
    throw new Error(`A run delivered ${String(text).length} characters of ${WORDS * deltaText.length}.`);
  }
}
