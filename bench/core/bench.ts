import process from 'node:process';
import { runPrompt } from '@cueline/core';
import { streamText } from 'ai';
import { median, printTable } from '../table.ts';
import { deltaModel, deltaText } from './delta-model.ts';
import { benchGrowth } from './growth.ts';
import { benchLog } from './log.ts';
import { benchLongRuns } from './long-runs.ts';
import { benchSessions } from './sessions.ts';
import { benchTaskLists } from './task-lists.ts';
import { benchToolInput } from './tool-input.ts';

const DELTAS = 10_000;
const WARM_UP = 3;
const ROUNDS = 15;

/** Ways to stream the same answer to the same consumer. */
const contenders = {
  streamText: () => streamText({ model: deltaModel(DELTAS), prompt: 'Say something.' }).textStream,
  'streamText, empty onChunk': () => {
    return streamText({ model: deltaModel(DELTAS), prompt: 'Say something.', onChunk: () => {} }).textStream;
  },
  runPrompt: async () => {
    const { result } = await runPrompt((prompt) => prompt.$`Say something.`, { model: deltaModel(DELTAS) });
    return result.textStream;
  },
  'runPrompt, watched': async () => {
    const { result, run } = await runPrompt((prompt) => prompt.$`Say something.`, {
      model: deltaModel(DELTAS),
    });
    run.subscribe(() => {});
    return result.textStream;
  },
};

/** Measures the cost of a delta on its way from the model to a reader of `result.textStream`. */
export async function benchCore(): Promise<void> {
  const names = Object.keys(contenders) as (keyof typeof contenders)[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // each contender goes first equally often
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + Math.abs(round)) % names.length]!;
      const time = await timeOf(contenders[name]);
      if (round >= 0) times[name]?.push(time);
    }
  }
  // ratios are taken round by round, because the machine is not equally fast in all rounds
  const ratioOf = (name: string): number =>
    median(times[name]!.map((time, round) => time / times[names[0]!]![round]!));
  printTable(`core: one answer of ${DELTAS} text deltas, only textStream read, median of ${ROUNDS} rounds`, [
    ['', 'µs per delta', 'ratio', 'budget'],
    ...names.map((name) => [
      name,
      (median(times[name]!) / DELTAS).toFixed(2),
      `×${ratioOf(name).toFixed(2)}`,
      name === 'runPrompt' ? '≤ ×1.10' : '',
    ]),
  ]);
  benchLog();
  benchToolInput();
  await benchLongRuns();
  await benchTaskLists();
  await benchSessions();
  await benchGrowth();
}

/** Returns the CPU time that one answer takes on this thread, in microseconds. */
async function timeOf(begin: () => AsyncIterable<string> | Promise<AsyncIterable<string>>): Promise<number> {
  globalThis.gc?.();
  // of this thread only: other work on the machine and garbage of the last round do not count
  const from = process.threadCpuUsage();
  let length = 0;
  for await (const text of await begin()) length += text.length;
  const { user, system } = process.threadCpuUsage(from);
  if (length !== DELTAS * deltaText.length) {
    throw new Error(`The stream delivered ${length} characters of ${DELTAS * deltaText.length}.`);
  }
  return user + system;
}
