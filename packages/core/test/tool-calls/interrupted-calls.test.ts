import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';
import {
  allWrites,
  createWorld,
  killAtRandom,
  numbering,
  openRun,
  ownReadings,
} from '../support/killed-runs.ts';

/** What has happened in the world when a process is killed that has written these events. */
function worldAt(log: readonly RunEvent[], known: ReturnType<typeof createWorld>) {
  const world = createWorld();
  const inputs = new Map<string, string>();
  for (const event of log) {
    const place = `${event.agent ?? ''} `;
    if (event.type === 'tool-input-end') inputs.set(place + event.toolCallId, whatOf(event.input));
    const what =
      event.type === 'tool-start'
        ? inputs.get(place + event.toolCallId)
        : event.type === 'sub-call-start'
          ? whatOf(event.input)
          : undefined;
    if (what === undefined) continue;
    if (/\d/.test(what)) world.writes.set(what, (world.writes.get(what) ?? 0) + 1);
    const key = known.keys.get(what)?.[0];
    if (key !== undefined) world.keys.set(what, [key]);
  }
  return world;
}

function whatOf(input: unknown): string {
  return (input as { what?: string }).what ?? '';
}

/** What the run itself has results of. */
function ended(log: readonly RunEvent[]): string[] {
  const inputs = new Map<string, string>();
  return log.flatMap((event) => {
    if (event.agent !== undefined) return [];
    if (event.type === 'tool-input-end') inputs.set(event.toolCallId, whatOf(event.input));
    return event.type === 'tool-end' ? [inputs.get(event.toolCallId)!] : [];
  });
}

describe('a run that was cut off after any of its events', () => {
  test('continues without repeating a writing call or losing a result', async () => {
    const newId = numbering();
    const whole = createWorld();
    const { run } = openRun(whole, [], { newId });
    expect(await run.start()).toBe('Done.');
    const log = run.log().slice();
    expect([...whole.writes.keys()].toSorted()).toEqual(allWrites);
    expect(log.length).toBeGreaterThan(60);

    for (let cut = 1; cut < log.length; cut += 1) {
      const before = log.slice(0, cut);
      const world = worldAt(before, whole);
      const taken = openRun(world, before, { newId });
      expect(await taken.run.retry(), `cut after ${cut}`).toBe('Done.');
      const after = taken.run.log();
      for (const [what, times] of world.writes) expect([cut, what, times]).toEqual([cut, what, 1]);
      for (const what of ended(before)) {
        const began = world.keys.get(what) ?? [];
        expect([cut, what, began.length]).toEqual([cut, what, what === 'h' || what === '' ? 0 : 1]);
      }
      for (const what of ownReadings) {
        expect([cut, what, ended(after).includes(what)]).toEqual([cut, what, true]);
        // a key is that of one call, and the call that is made again has the same
        const keys = world.keys.get(what)!;
        expect([cut, what, new Set(keys).size]).toEqual([cut, what, 1]);
      }
      expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index));
      expect(taken.run.getState().status).toBe('done');
    }
  });
});

test('in runs that are killed at random moments, no writing call takes effect twice', async () => {
  // 200 of them are in killed-runs.long.test.ts
  for (let seed = 1_001; seed <= 1_012; seed += 1) {
    const { world, result } = await killAtRandom(seed);
    expect([seed, result]).toEqual([seed, 'Done.']);
    for (const [what, times] of world.writes) expect([seed, what, times]).toEqual([seed, what, 1]);
  }
});

describe('an interrupted reading call', () => {
  test('is repeated by the run with the same key, and the model reads its result in the same step', async () => {
    const keys: string[] = [];
    const model = scriptedModel([
      ['Let me look.', { toolCall: { name: 'look', input: { what: 'left' }, id: 'call-1' } }],
      'A door.',
    ]);
    const prompt = definePrompt('look', (prompt) => {
      prompt.defTool(
        'look',
        'Looks',
        z.object({ what: z.string() }),
        async (_args, { idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (keys.length === 1) await new Promise(() => {});
          return { seen: 'a door' };
        },
        { effect: 'read' },
      );
      prompt.$`Look around.`;
    });
    const first = createRun(prompt, { model });
    const begun = new Promise<void>((resolve) => {
      first.listen(({ type }) => type === 'tool-start' && resolve());
    });
    void first.start().catch(() => {});
    await begun;
    const log = json(first.log()) as RunEvent[];
    first.stop();
    const run = createRun(prompt, { model, log });
    expect(await run.retry()).toBe('A door.');
    expect(keys).toEqual([`${first.getState().runId}/0/call-1`, keys[0]]);
    expect(model.calls).toHaveLength(2);
    const { prompt: sent } = model.calls[1]!;
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(sent[2])).toContain('a door');
    expect(run.getState().toolCalls).toMatchObject([
      { toolCallId: 'call-1', state: 'output-available', output: { seen: 'a door' } },
    ]);
  });

  test('is not repeated if the tool’s definition has changed, and the model reads that it has no result', async () => {
    const ran: string[] = [];
    const removing = (effect: 'read' | undefined) =>
      definePrompt('remove', (prompt) => {
        const options = effect === undefined ? {} : { effect };
        const remove = ({ what }: { what: string }): string => {
          ran.push(what);
          return 'removed';
        };
        prompt.defTool('remove', 'Removes', z.object({ what: z.string() }), remove, options);
        prompt.$`Hello.`;
      });
    const call = { toolCall: { name: 'remove', input: { what: 'all' }, id: 'call-1' } };
    const forged = createRun(removing('read'), { model: scriptedModel([[call], 'Done.']) });
    await forged.start();
    ran.length = 0;
    // as a link may have it: a call that says of itself that it only reads
    const begun = forged.log().findIndex(({ type }) => type === 'tool-start');
    const model = scriptedModel(['I did nothing.']);
    const run = createRun(removing(undefined), { model, log: forged.log().slice(0, begun + 1) });
    expect(await run.retry()).toBe('I did nothing.');
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Make it again if you still need it.');
  });
});

describe('an interrupted call whose schema changes its arguments', () => {
  const cases = {
    'to other numbers': { schema: z.object({ at: z.number().transform((euros) => euros * 100) }), at: 5 },
    'to another type': { schema: z.object({ at: z.string().transform((text) => text.length) }), at: 'five' },
    'to dates': {
      schema: z.object({ at: z.string().transform((text) => new Date(text)) }),
      at: '2030-01-01',
    },
  };
  test.for(Object.entries(cases))('is repeated with the same arguments: %s', async ([, { schema, at }]) => {
    const got: unknown[] = [];
    const model = scriptedModel([[{ toolCall: { name: 'look', input: { at } } }], 'Done.']);
    const definition = definePrompt('look', (prompt) => {
      prompt.defTool(
        'look',
        'Looks',
        schema,
        async (args) => {
          got.push(args);
          if (got.length === 1) await new Promise(() => {});
          return 'seen';
        },
        { effect: 'read' },
      );
      prompt.$`Look.`;
    });
    const run = createRun(definition, { model });
    void run.start();
    await expect.poll(() => got.length).toBe(1);
    const again = createRun(definition, { model, log: run.log().slice() });
    run.stop();
    expect(await again.retry()).toBe('Done.');
    expect(got).toHaveLength(2);
    expect(got[1]).toEqual(got[0]);
  });
});
