import { createRun, definePrompt, tool, type Run } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { after, memoryStorage, type MemoryStorage } from '../support/runs.ts';
import { sampled } from '../support/sample.ts';

type Model = ReturnType<typeof scriptedModel>;
type Prompt = Model['calls'][number]['prompt'];

/** A call that the model wants to make, under the name that its execution is noted by. */
type Goal = { id: string; tool: string; input: object };

const goals: Goal[][] = [
  [
    { id: 'read a', tool: 'read', input: { what: 'a' } },
    { id: 'write a', tool: 'write', input: { what: 'a' } },
    { id: 'unset a', tool: 'unset', input: { what: 'a' } },
    {
      id: 'kit',
      tool: 'kit',
      input: {
        calls: [
          { name: 'look', args: {} },
          { name: 'send', args: {} },
        ],
      },
    },
  ],
  [
    { id: 'helper', tool: 'helper', input: {} },
    { id: 'write b', tool: 'write', input: { what: 'b' } },
  ],
];
const innerGoals: Goal[][] = [
  [
    { id: 'inner read', tool: 'innerRead', input: {} },
    { id: 'inner write', tool: 'innerWrite', input: {} },
  ],
];

/** What may be made more than once, as it changes nothing. */
const reads = new Set(['read a', 'kit look', 'inner read']);

/**
 * A model that makes its calls until each has a result, and makes one again only where its result says that it may. It
 * looks at the conversation alone, as a real one does, and numbers its calls anew in every answer.
 */
function carefulModel(): Model {
  const plan = (prompt: Prompt): ScriptedTurn => {
    const wanted = JSON.stringify(prompt[0]).includes('You are the helper') ? innerGoals : goals;
    const settled = settledCalls(prompt);
    const open = wanted.find((step) => step.some((goal) => !settled.has(keyOf(goal))));
    if (open === undefined) return ['Done.'];
    return open
      .filter((goal) => !settled.has(keyOf(goal)))
      .map(({ tool, input }, index) => ({ toolCall: { name: tool, input, id: `call-${index}` } }));
  };
  const model = scriptedModel(['unused']);
  return {
    ...model,
    doStream: (call) => scriptedModel([plan(call.prompt)], { chunkSize: 8 }).doStream(call),
  };
}

const keyOf = ({ tool, input }: Pick<Goal, 'tool' | 'input'>): string => `${tool} ${JSON.stringify(input)}`;

function settledCalls(prompt: Prompt): Set<string> {
  const settled = new Set<string>();
  const made = new Map<string, string>();
  for (const message of prompt) {
    if (typeof message.content === 'string') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') {
        made.set(part.toolCallId, keyOf({ tool: part.toolName, input: part.input as object }));
      }
      if (part.type !== 'tool-result') continue;
      const mayRepeat = JSON.stringify(part.output).includes('Make it again');
      if (!mayRepeat) settled.add(made.get(part.toolCallId)!);
    }
  }
  return settled;
}

/** A page that can be killed: from then on nothing of it happens any more, and nothing more is stored. */
type Page = {
  run: Run;
  /** The calls that were really made, in their order. */
  made: { id: string; key: string }[];
  readonly alive: boolean;
  kill(): void;
};

/** Opens the run under the id `a`, whose tools take a moment each. */
function openPage(storage: MemoryStorage): Page {
  let alive = true;
  const made: Page['made'] = [];
  const dead = (): Promise<never> => new Promise(() => {});
  const work =
    (name: string) =>
    async (args: { what?: string }, { idempotencyKey }: { idempotencyKey: string }): Promise<string> => {
      if (!alive) return dead();
      made.push({ id: args.what === undefined ? name : `${name} ${args.what}`, key: idempotencyKey });
      await after(2);
      return alive ? `${name} has been done.` : dead();
    };
  const what = z.object({ what: z.string() });
  const none = z.object({});
  const prompt = definePrompt('everything', (prompt) => {
    prompt.defTool('read', 'Reads', what, work('read'), { effect: 'read' });
    prompt.defTool('write', 'Writes', what, work('write'), { effect: 'write' });
    prompt.defTool('unset', 'Does something', what, work('unset'));
    prompt.defTool('kit', 'Several at once', [
      tool('look', 'Looks', none, work('kit look'), { effect: 'read' }),
      tool('send', 'Sends', none, work('kit send'), { effect: 'external' }),
    ]);
    prompt.defAgent('helper', 'Helps', none, (_args, agent) => {
      agent.defSystem('role', 'You are the helper.');
      agent.defTool('innerRead', 'Reads', none, work('inner read'), { effect: 'read' });
      agent.defTool('innerWrite', 'Writes', none, work('inner write'), { effect: 'write' });
      agent.$`Go.`;
    });
    prompt.$`Go.`;
  });
  const guarded: MemoryStorage = {
    ...storage,
    append: async (id, events) => {
      // slower than a tool, so that a call that does not wait for it is made unseen
      await after(6);
      if (!alive) return dead();
      await storage.append(id, events);
    },
  };
  const run = createRun(prompt, {
    id: 'a',
    storage: guarded,
    model: carefulModel(),
    loopGuard: undefined,
  } as never) as Run;
  return {
    run,
    made,
    get alive() {
      return alive;
    },
    kill() {
      alive = false;
      run.detach();
    },
  };
}

/** Kills a page at a moment, goes on in another, and holds what was made against what may be. Gives the last text. */
async function killAndGoOn(until: (storage: MemoryStorage, page: Page) => Promise<void>): Promise<string> {
  const storage = memoryStorage();
  const before = openPage(storage);
  const whole = Promise.resolve(before.run.start()).catch(() => {});
  await Promise.race([until(storage, before), whole]);
  before.kill();
  const stored = [...(storage.logs.get('a') ?? [])];
  const later = openPage(storage);
  await later.run.restored;
  const { status } = later.run.getState();
  if (status === 'idle') await later.run.start();
  else if (status !== 'done') await later.run.retry();
  expect(later.run.getState()).toMatchObject({ status: 'done', text: 'Done.' });
  const made = [...before.made, ...later.made];
  const counts = new Map<string, number>();
  for (const { id } of made) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) if (!reads.has(id)) expect([id, count]).toEqual([id, 1]);
  expect(counts.get('read a')).toBeGreaterThanOrEqual(1);
  // what has its end in the log is not made again, whatever it is
  const ended = stored.flatMap((event) =>
    event.type === 'tool-end' && event.agent === undefined && event.output === 'read has been done.'
      ? ['read a']
      : [],
  );
  for (const id of ended) expect([id, counts.get(id)]).toEqual([id, 1]);
  // the key of a call is its own, also where the call is made once more
  expect(new Set(made.map(({ key }) => key)).size).toBe(
    new Set(made.map(({ id, key }) => `${id} ${key}`)).size,
  );
  return later.run.getState().text;
}

test('a page that is killed after any of its writes makes no writing call twice', async () => {
  const storage = memoryStorage();
  const { run } = openPage(storage);
  expect(await run.start()).toBe('Done.');
  await expect.poll(() => storage.logs.get('a')?.length).toBe(run.log().length);
  const batches = storage.batches.length;
  expect(batches).toBeGreaterThan(5);
  for (const count of sampled(Array.from({ length: batches + 1 }, (_, index) => index))) {
    const text = await killAndGoOn(async (stored, page) => {
      while (page.alive && stored.batches.length < count) await after(0);
    });
    expect(text).toBe('Done.');
  }
});

test('a page that is killed at any moment makes no writing call twice', async () => {
  for (const ms of sampled(Array.from({ length: 20 }, (_, index) => 8 * index))) {
    expect(await killAndGoOn(() => after(ms))).toBe('Done.');
  }
});
