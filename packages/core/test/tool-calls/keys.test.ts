import { tool, type Prompt } from '@cueline/core';
import { tool as aiTool } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play, types } from '../support.ts';

const key = 'plain-words-"that"-look-like-no-key';
const env = { OPENAI_API_KEY: key };
const text = z.object({ text: z.string() });

test('the log contains no key, whatever a script does with it', async () => {
  const say = { text: `it is ${key}` };
  const source = async (prompt: Prompt): Promise<void> => {
    prompt.def('KEY', key);
    prompt.defData('SETTINGS', { env });
    prompt.defSystem('role', `You know ${key}`);
    prompt.defTool('echo', `Knows ${key}`, text, async function* ({ text: said }) {
      yield `at first ${said}`;
      yield { said, [key]: [said] };
    });
    prompt.defAgent('child', '', text, (args, own) => own.$`Look at ${args.text}`);
    prompt.defHook(() => ({ activeTools: [key, 'echo', 'child', 'finishTask'] }));
    prompt.defTaskList([{ task: `Use ${key}` }]);
    prompt.$`My key is ${key}`;
  };
  const { events } = await play(
    source,
    [
      [call('echo', say)],
      [call('child', say)],
      `The child says ${key}`,
      [call('finishTask', { result: `Used ${key}` })],
      [{ reasoning: `Think of ${key}` }, { text: `Done with ${key}`, chunkSize: 1_000 }],
    ] as never,
    { env, input: { key } as never, options: { providerOptions: { openai: { key } } } },
  );
  expect(types(events)).toEqual(
    expect.arrayContaining([
      'variable-set',
      'warning',
      'task-add',
      'task-update',
      'agent-start',
      'tool-preliminary',
    ]),
  );
  const inner = JSON.stringify(key).slice(1, -1);
  const leaks = events.filter((event) =>
    // what a model says piece by piece is not held back
    event.type.endsWith('-delta') ? false : JSON.stringify(event).includes(inner),
  );
  expect(leaks).toEqual([]);
  expect(JSON.stringify(events)).toContain('My key is [redacted]');
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

test('a whole key in one delta of an answer is redacted, too', async () => {
  const { events, state } = await play(
    (prompt) => prompt.$`Go.`,
    [[{ text: `it is ${key}`, chunkSize: 1_000 }]],
    { env },
  );
  expect(JSON.stringify(events)).not.toContain('plain-words');
  expect(state.text).toBe('it is [redacted]');
});

test("no model receives a key in a tool's result", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const none = z.object({});
  const { model, state } = await play(
    go((prompt) => {
      prompt.defTool('plain', '', none, () => ({ found: [key], n: 1 }));
      prompt.defTool('parts', '', none, () => [
        { type: 'text', text: key },
        { type: 'image', image: bytes, mediaType: 'image/png' },
      ]);
      prompt.defTool('kit', '', [tool('inner', '', none, () => `inner ${key}`)]);
    }),
    [
      [call('plain'), call('parts'), call('ready'), call('kit', { calls: [{ name: 'inner', args: {} }] })],
      'Done.',
    ],
    {
      env,
      options: {
        tools: {
          ready: aiTool({
            inputSchema: none,
            execute: () => ({ key }),
            toModelOutput: ({ output }) => ({ type: 'text', value: `own words: ${output.key} ${key}` }),
          }),
        },
      },
    },
  );
  expect(state.status).toBe('done');
  const results = JSON.stringify(model.calls[1]!.prompt.filter(({ role }) => role === 'tool'));
  expect(results).not.toContain('plain-words');
  expect(results).toContain('own words: [redacted] [redacted]');
  expect(results).toContain('"found":["[redacted]"],"n":1');
  // a picture beside it stays what it is
  expect(results).toContain('image/png');
});

test('without keys, text that only looks like a key stays in the log', async () => {
  const { events } = await play((prompt) => prompt.$`sk-abcdefghijklmnop`, ['Ok.'], { env: {} });
  expect(JSON.stringify(events)).toContain('sk-abcdefghijklmnop');
});
