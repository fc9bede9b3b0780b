import {
  createRun,
  definePrompt,
  tool,
  type Prompt,
  type Run,
  type RunEvent,
  type ToolContext,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';

type Model = ReturnType<typeof scriptedModel>;
type Sent = Parameters<Model['doStream']>[0]['prompt'];

/** What tools have done, over all the processes that worked on a run. */
export type World = {
  /** How often each call of a writing tool has taken effect, by what it writes. */
  readonly writes: Map<string, number>;
  /** The keys of the calls that have run, by what they read or write, in their order. */
  readonly keys: Map<string, string[]>;
};

export function createWorld(): World {
  return { writes: new Map(), keys: new Map() };
}

/** What was planned, in the steps in which the model asks for it. */
const plan = [
  [call('read', 'a'), call('write', '1'), call('send', '2'), call('read', 'b')],
  [call('helper', 'h'), call('kit', 'k'), call('read', 'c')],
  [call('write', '3')],
];
const helperPlan = [[call('read', 'd'), call('write', '4')], [call('send', '5')]];
/** Everything that a whole run writes. */
export const allWrites = ['1', '2', '3', '4', '5', '6', '7'];
/** The readings that the run itself asks for. */
export const ownReadings = ['a', 'b', 'c'];

function call(name: string, what: string): { name: string; what: string } {
  return { name, what };
}

/**
 * A model that asks for the part of its plan that no result in its prompt has settled, with ids of its own each time.
 */
export function planningModel(newId: () => string): Model {
  const base = scriptedModel([]);
  return {
    ...base,
    doStream: (options) => scriptedModel([nextTurn(options.prompt, newId)]).doStream(options),
  };
}

function nextTurn(prompt: Sent, newId: () => string): ScriptedTurn {
  const isHelper = JSON.stringify(prompt[0]).includes('helper-prompt');
  const settled = settledCalls(prompt);
  for (const step of isHelper ? helperPlan : plan) {
    const missing = step.filter(({ name, what }) => !settled.has(`${name}:${what}`));
    if (missing.length === 0) continue;
    return [
      'Let me see.',
      ...missing.map(({ name, what }) => ({ toolCall: { name, input: inputOf(name, what), id: newId() } })),
    ];
  }
  return 'Done.';
}

function inputOf(name: string, what: string): unknown {
  if (name !== 'kit') return { what };
  return {
    calls: ['6', 'e', '7'].map((what) => ({ name: /\d/.test(what) ? 'put' : 'get', args: { what } })),
  };
}

/** The calls that have a result of which the model reads more than that it should make them again. */
function settledCalls(prompt: Sent): Set<string> {
  const calls = new Map<string, string>();
  const settled = new Set<string>();
  for (const message of prompt) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') {
        const { what = 'k' } = part.input as { what?: string };
        calls.set(part.toolCallId, `${part.toolName}:${what}`);
      }
      if (part.type !== 'tool-result') continue;
      if (part.output.type === 'error-text' && part.output.value.includes('Make it again')) continue;
      settled.add(calls.get(part.toolCallId)!);
    }
  }
  return settled;
}

/** What a tool does with what it was called for. */
type Work = (what: string, context: ToolContext, writes: boolean) => Promise<string>;

/** The prompt of the plan: its tools and its agent have `work` do what they are for. */
export function defineWork(prompt: Prompt, work: Work): void {
  const schema = z.object({ what: z.string() });
  const read = ({ what }: { what: string }, context: ToolContext) => work(what, context, false);
  const write = ({ what }: { what: string }, context: ToolContext) => work(what, context, true);
  prompt.defTool('kit', 'Several at once', [
    tool('get', 'Reads', schema, read, { effect: 'read' }),
    tool('put', 'Writes', schema, write, { effect: 'external' }),
  ]);
  defineOwn(prompt);
  prompt.defAgent('helper', 'Helps', schema, (_args, own) => {
    defineOwn(own);
    own.$`helper-prompt`;
  });

  function defineOwn(own: Prompt): void {
    own.defTool('read', 'Reads', schema, read, { effect: 'read' });
    own.defTool('write', 'Writes', schema, write, { effect: 'write' });
    own.defTool('send', 'Sends', schema, write);
  }
  prompt.$`Work.`;
}

/**
 * A process that works on the run with this log until it is killed. `pause` is how long each tool works before its
 * effect.
 */
export function openRun(
  world: World,
  log: readonly RunEvent[],
  { newId, pause = () => 0 }: { newId: () => string; pause?: () => number },
): { run: Run; kill(): void } {
  let alive = true;
  const work: Work = async (what, context, writes) => {
    if (!alive) return new Promise<string>(() => {});
    world.keys.set(what, [...(world.keys.get(what) ?? []), context.idempotencyKey]);
    // the effect comes at once or later: a process that was killed has it no more
    const ms = pause();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (!alive) return new Promise<string>(() => {});
    if (writes) world.writes.set(what, (world.writes.get(what) ?? 0) + 1);
    const after = pause();
    if (after > 0) await new Promise((resolve) => setTimeout(resolve, after));
    return alive ? `did ${what}` : new Promise<string>(() => {});
  };
  const definition = definePrompt('work', (prompt) => defineWork(prompt, work));
  const run = createRun(definition, { model: planningModel(newId), log, options: { loopGuard: false } });
  return {
    run,
    kill() {
      alive = false;
      run.stop();
    },
  };
}

/** `call-1`, `call-2`, …, over all processes. */
export function numbering(): () => string {
  let count = 0;
  return () => `call-${++count}`;
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A run whose process is killed at a random moment, whose next process is killed at another, and so on, until one
 * ends it with `retry()`. Each knows of the one before it only the log.
 */
export async function killAtRandom(seed: number): Promise<{ world: World; kills: number; result: unknown }> {
  const random = randomFrom(seed);
  const world = createWorld();
  const newId = numbering();
  const pause = (): number => (random() < 0.5 ? 0 : Math.floor(random() * 4));
  const mostKills = 1 + Math.floor(random() * 4);
  let log: readonly RunEvent[] = [];
  for (let kills = 0; ; kills += 1) {
    const { run, kill } = openRun(world, log, { newId, pause });
    const result = log.length === 0 ? run.start() : run.retry();
    if (kills === mostKills) return { world, kills, result: await result };
    const ended = result.then(
      () => true,
      () => true,
    );
    const moment = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), Math.floor(random() * 25));
    });
    if (await Promise.race([ended, moment])) return { world, kills, result: await result };
    log = run.log().slice();
    kill();
  }
}
