import {
  createRun,
  definePrompt,
  type PromptDefinition,
  type RunEvent,
  type ToolOptions,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { nextEvent } from '../support/runs.ts';

describe.each<ToolOptions>([{ effect: 'read' }, { effect: 'external', idempotent: true }])(
  'an interrupted call of a tool with %j',
  (options) => {
    const keys: string[] = [];

    /** A prompt whose tool does not return from its first call. */
    const looking = (given: ToolOptions): PromptDefinition =>
      definePrompt('look', (prompt) => {
        prompt.defTool(
          'look',
          'Looks',
          z.object({ what: z.string() }),
          async (_args, { idempotencyKey }) => {
            keys.push(idempotencyKey);
            if (keys.length === 1) await new Promise(() => {});
            return { seen: 'a door' };
          },
          given,
        );
        prompt.$`Look around.`;
      });

    /** The log of a run whose page is closed while the tool works. */
    async function interrupted() {
      keys.length = 0;
      const run = createRun(looking(options), {
        model: scriptedModel([['Let me look.', call('look', { what: 'left' }, 'call-1')]]),
      });
      const begun = nextEvent(run, 'tool-start');
      void run.start().catch(() => {});
      await begun;
      const log = json(run.log()) as RunEvent[];
      run.stop();
      return { log, runId: run.getState().runId };
    }

    test('is repeated by the run with the same key, and the model reads its result in the same step', async () => {
      const { log, runId } = await interrupted();
      const model = scriptedModel(['A door.']);
      const run = createRun(looking(options), { model, log });
      expect(await run.retry()).toBe('A door.');
      expect(keys).toEqual([`${runId}/0/call-1`, keys[0]]);
      expect(model.calls).toHaveLength(1);
      const { prompt: sent } = model.calls[0]!;
      expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect(JSON.stringify(sent[2])).toContain('a door');
      expect(run.getState().toolCalls).toMatchObject([
        { toolCallId: 'call-1', state: 'output-available', output: { seen: 'a door' } },
      ]);
    });

    // such as of a log from a link, in which a call says of itself that it only reads
    test('is not repeated if the definition of the tool does not say so, and the model reads that it has no result', async () => {
      const { log } = await interrupted();
      const model = scriptedModel(['I did nothing.']);
      const run = createRun(looking({}), { model, log });
      expect(await run.retry()).toBe('I did nothing.');
      expect(keys).toHaveLength(1);
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Make it again if you still need it.');
    });
  },
);

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
