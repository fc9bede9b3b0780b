import { createRun } from '@cueline/core';
import { median, printTable } from '../table.ts';
import { bullmqSetup } from './bullmq.ts';
import { benchParked } from './parked.ts';
import { restateSetup } from './restate.ts';
import { LENGTHS, options, prompts, setups, type Setup } from './setups.ts';

const ROUNDS = 5;

/** One way to do a run of so many tool calls, or so many steps of an engine. */
type Contender = {
  name: string;
  run(pages: (typeof LENGTHS)[number]): Promise<void>;
  /** The index of what an engine's contender is compared with, besides the run in this process. */
  bare?: number;
};

/** Measures what a step costs whose events are stored and which an engine schedules, and what waiting runs occupy. */
export async function benchDurable(): Promise<void> {
  const opened: Setup[] = [];
  try {
    for (const open of [...setups, bullmqSetup, restateSetup]) {
      const setup = await open();
      if (setup !== undefined) opened.push(setup);
    }
    await benchSteps(opened);
  } finally {
    for (const { close } of opened) await close();
  }
  await benchParked();
}

async function benchSteps(opened: readonly Setup[]): Promise<void> {
  const contenders: Contender[] = [
    {
      name: 'createRun in this process',
      run: async (pages) => check(await createRun(prompts[pages], { options }).start()),
    },
  ];
  for (const { name, durable, bare } of opened) {
    const { executor } = durable;
    const run = async (pages: (typeof LENGTHS)[number]): Promise<void> =>
      check(await createRun(prompts[pages], { executor }).start());
    if (bare === undefined) contenders.push({ name, run });
    else {
      contenders.push({ name: bare.name, run: (pages) => bare.run(pages + 1) });
      contenders.push({ name, run, bare: contenders.length - 1 });
    }
  }
  for (const pages of LENGTHS) {
    const rounds = await timesOf(contenders, pages);
    // ratios are taken round by round, because the machine is not equally fast in all rounds
    const ratio = (of: number, to: number): string =>
      `×${median(rounds.map((times) => times[of]! / times[to]!)).toFixed(2)}`;
    printTable(`durable: a run of ${pages + 1} steps, one at a time, median of ${ROUNDS} rounds`, [
      ['', 'ms per step', 'ratio', "to the engine's own step"],
      ...contenders.map(({ name, bare }, index) => [
        name,
        (median(rounds.map((times) => times[index]!)) / (pages + 1)).toFixed(2),
        ratio(index, 0),
        bare === undefined ? '' : ratio(index, bare),
      ]),
    ]);
  }
}

/** The milliseconds of each contender, round by round. */
async function timesOf(
  contenders: readonly Contender[],
  pages: (typeof LENGTHS)[number],
): Promise<number[][]> {
  const rounds: number[][] = [];
  // the first round warms up
  for (let round = -1; round < ROUNDS; round += 1) {
    const times: number[] = [];
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (turn + round + 1) % contenders.length;
      const began = performance.now();
      await contenders[index]!.run(pages);
      times[index] = performance.now() - began;
    }
    if (round >= 0) rounds.push(times);
  }
  return rounds;
}

function check(result: unknown): void {
  if (result !== 'Done.') throw new Error(`A run came to ${JSON.stringify(result)}.`);
}
