import { median, printTable } from '../table.ts';
import { ask, hangUp, open } from './client.ts';
import { type ServingProcess, startProcess, type Usage } from './process.ts';
import { type ModelId, paces } from './provider-answers.ts';
import { benchRoute } from './route.ts';
import { benchServedStreams } from './served-streams.ts';
import { benchQuietResume } from './silent-run.ts';

const SAMPLES = 500;
const WARM_UP = 100;
const STREAMS = 50;
const ROUNDS = 5;

/** A way to the provider, and the process on it. */
type Way = { name: string; url: string; process?: ServingProcess };

/**
 * Measures what a model proxy adds between a page and a provider. Each of the three is a process of its own, on this
 * machine.
 */
export async function benchEdge(): Promise<void> {
  using provider = await startProcess('provider.ts');
  using bare = await startProcess('proxy-process.ts', 'bare', provider.url);
  using proxy = await startProcess('proxy-process.ts', 'proxy', provider.url);
  const ways: Way[] = [
    { name: 'direct', url: provider.url },
    { name: 'fetch and pass on', url: bare.url, process: bare },
    { name: 'model proxy', url: proxy.url, process: proxy },
  ];
  try {
    await benchFirstByte(ways);
    await benchStreams(ways, 'burst', 'as fast as it goes');
    await benchStreams(ways, 'paced', `an event each ${paces.paced.everyMs} ms`);
    await benchMemory(ways);
  } finally {
    hangUp();
  }
  await benchRoute();
  await benchServedStreams();
  await benchQuietResume();
}

/** Measures one answer at a time, alternating between the ways, so that all of them have the same conditions. */
async function benchFirstByte(ways: readonly Way[]): Promise<void> {
  const samples = ways.map(() => [] as number[]);
  let before: (Usage | undefined)[] = [];
  for (let round = -WARM_UP; round < SAMPLES; round++) {
    if (round === 0) before = await usages(ways);
    for (let turn = 0; turn < ways.length; turn++) {
      const index = (turn + Math.abs(round)) % ways.length;
      const { ttfbMs } = await ask(ways[index]!.url, 'short');
      if (round >= 0) samples[index]!.push(ttfbMs);
    }
  }
  const after = await usages(ways);
  const [direct = []] = samples;
  const added = (of: readonly number[], at: (values: readonly number[]) => number): string =>
    of === direct ? '' : `+${(at(of) - at(direct)).toFixed(2)} ms`;
  const ratio = (of: readonly number[], at: (values: readonly number[]) => number): string =>
    `×${(at(of) / at(direct)).toFixed(2)}`;
  printTable(`edge: time to the first byte on this machine, ${SAMPLES} answers each, in turn`, [
    ['', 'median', 'added', 'ratio', 'p99', 'added', 'ratio', 'CPU of its process'],
    ...ways.map(({ name }, index) => {
      const of = samples[index]!;
      const times = [median, p99].flatMap((at) => [`${at(of).toFixed(2)} ms`, added(of, at), ratio(of, at)]);
      // of the whole call, with its few events
      const cpu = ((after[index]?.cpu ?? 0) - (before[index]?.cpu ?? 0)) / SAMPLES;
      return [name, ...times, index === 0 ? '' : `${cpu.toFixed(0)} µs/call`];
    }),
  ]);
}

function usages(ways: readonly Way[]): Promise<(Usage | undefined)[]> {
  return Promise.all(ways.map(async ({ process }) => process?.usage()));
}

/** Measures fifty answers at once, alternating between the ways. */
async function benchStreams(ways: readonly Way[], model: ModelId, pace: string): Promise<void> {
  const events = STREAMS * paces[model].events;
  const rounds = ways.map(() => [] as { perSecond: number; bytes: number; cpu: number }[]);
  for (let round = -1; round < ROUNDS; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const index = (turn + round + 1) % ways.length;
      const { url, process } = ways[index]!;
      const before = await process?.usage();
      const from = performance.now();
      const answers = await Promise.all(Array.from({ length: STREAMS }, () => ask(url, model)));
      const seconds = (performance.now() - from) / 1_000;
      const after = await process?.usage();
      if (round < 0) continue;
      rounds[index]!.push({
        perSecond: events / seconds,
        bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0) / seconds,
        cpu: after === undefined || before === undefined ? Number.NaN : (after.cpu - before.cpu) / events,
      });
    }
  }
  const of = (index: number, what: 'perSecond' | 'bytes' | 'cpu'): number =>
    median(rounds[index]!.map((round) => round[what]));
  // round by round, because the machine is not equally fast in all rounds
  const ratio = (index: number, to: number, what: 'perSecond' | 'cpu'): string =>
    `×${median(rounds[index]!.map((round, at) => round[what] / rounds[to]![at]![what])).toFixed(2)}`;
  printTable(
    `edge: ${STREAMS} answers at once of ${paces[model].events} events, ${pace}, median of ${ROUNDS} rounds`,
    [
      ['', 'events/s', 'ratio', 'MB/s', 'CPU of its process', 'ratio'],
      ...ways.map(({ name, process }, index) => [
        name,
        of(index, 'perSecond').toFixed(0),
        ratio(index, 0, 'perSecond'),
        (of(index, 'bytes') / 1e6).toFixed(1),
        ...(process === undefined
          ? ['', '']
          : [`${of(index, 'cpu').toFixed(1)} µs/event`, ratio(index, 1, 'cpu')]),
      ]),
    ],
  );
}

/** Measures the memory of a process for each open, silent answer. */
async function benchMemory(ways: readonly Way[]): Promise<void> {
  const cells: string[][] = [];
  let least: number | undefined;
  for (const { name, url, process } of ways) {
    if (process === undefined) continue;
    // pools and code grow once; only memory that grows each time belongs to an answer
    await hold(url, 500, async () => {});
    const [none, some, many] = [
      await hold(url, 0, () => process.usage({ collect: true })),
      await hold(url, 100, () => process.usage({ collect: true })),
      await hold(url, 500, () => process.usage({ collect: true })),
    ];
    const slope = (of: 'heap' | 'rss'): number => (many[of] - some[of]) / 400 / 1_024;
    least ??= slope('heap');
    cells.push([
      name,
      ...[none, some, many].map(({ heap }) => `${(heap / 1e6).toFixed(1)} MB`),
      `${slope('heap').toFixed(1)} KB`,
      `×${(slope('heap') / least).toFixed(2)}`,
      ...[none, some, many].map(({ rss }) => (rss / 1e6).toFixed(0)),
      `${slope('rss').toFixed(1)} KB`,
    ]);
  }
  printTable('edge: memory with answers open that say nothing, and for each of the last 400', [
    ['', 'heap, 0', '100', '500', 'each', 'ratio', 'RSS MB, 0', '100', '500', 'each'],
    ...cells,
  ]);
}

/** Opens this many answers, calls `use`, and closes them. */
async function hold<Result>(url: string, count: number, use: () => Promise<Result>): Promise<Result> {
  const opened = Array.from({ length: count }, () => open(url, 'idle'));
  try {
    await Promise.all(opened.map(({ begun }) => begun));
    return await use();
  } finally {
    for (const answer of opened) answer.close();
  }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}
