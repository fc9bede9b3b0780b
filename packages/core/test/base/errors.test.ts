// An error of this process keeps its stack and its cause; the log has what is safe to store.
import { CuelineError, createRun, definePrompt, tool, type SerializedError } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { go, play } from '../support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What the console shows of what happens in `mode`. */
async function shownIn(mode: string, act: () => Promise<unknown>): Promise<unknown[]> {
  vi.stubEnv('NODE_ENV', mode);
  const shown = vi.spyOn(console, 'error').mockImplementation(() => {});
  await act();
  return shown.mock.calls.flat();
}

const broken = new TypeError('no such table: bookings');
const lookUp: ScriptedTurn[] = [[{ toolCall: { name: 'lookUp', input: {} } }], 'Sorry.'];

test('fromJSON returns the same error in one process, and a copy in another', () => {
  const error = new CuelineError('script_error', 'It failed.', { cause: broken, details: { step: 1 } });
  const json = error.toJSON();
  expect(CuelineError.fromJSON(json)).toBe(error);
  // a cause is never sent, and what another process sends as one is not taken
  const sent = { ...json, cause: 'a cause' };
  const elsewhere = CuelineError.fromJSON(JSON.parse(JSON.stringify(sent)) as SerializedError);
  expect(elsewhere).not.toBe(error);
  expect(elsewhere).toMatchObject({ code: 'script_error', message: 'It failed.', details: { step: 1 } });
  expect(elsewhere.cause).toBeUndefined();
});

test('a failed run rejects with the thrown value as its cause, and its log has only the message', async () => {
  const failing = definePrompt('failing', () => {
    throw broken;
  });
  const run = createRun(failing, { model: scriptedModel(['Never.']) });
  const error = await run.start().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'script_error', cause: broken });
  expect(broken.stack).toContain('errors.test.ts');
  const state = run.getState();
  expect(state.error).toEqual({
    code: 'script_error',
    message: 'The prompt function threw: no such table: bookings',
    source: 'prompt',
  });
  expect(JSON.stringify(run.log())).not.toContain('errors.test.ts');
});

test('a tool error with a key in its message is the cause of the error without the key', async () => {
  const secret = 'sk-1234567890abcdef1234567890';
  const leak = new Error(`refused: ${secret}`);
  const seen: unknown[] = [];
  const { run } = await play(
    go((prompt) =>
      prompt.defTool('lookUp', '', z.object({}), () => {
        throw leak;
      }),
    ),
    lookUp,
    {
      env: { OPENAI_API_KEY: secret },
      options: { onChunk: ({ chunk }) => void (chunk.type === 'tool-error' && seen.push(chunk.error)) },
    },
  );
  expect(seen).toEqual([expect.objectContaining({ cause: leak })]);
  expect((seen[0] as Error).message).not.toContain(secret);
  expect(JSON.stringify(run.log())).not.toContain(secret);
});

describe('errors that the script threw are printed to the console', () => {
  const fail = (): never => {
    throw broken;
  };
  const cases: [string, () => Promise<unknown>][] = [
    [
      'a prompt function',
      () =>
        createRun(definePrompt('p', fail), { model: scriptedModel([]) })
          .start()
          .catch(() => {}),
    ],
    [
      'a tool',
      () =>
        play(
          go((prompt) => prompt.defTool('lookUp', '', z.object({}), fail)),
          lookUp,
        ),
    ],
    [
      'a tool that streams',
      () =>
        play(
          go((prompt) =>
            prompt.defTool('lookUp', '', z.object({}), async function* () {
              yield 1;
              fail();
            }),
          ),
          lookUp,
        ),
    ],
    [
      'a part of a composite tool',
      () =>
        play(
          go((prompt) => prompt.defTool('kit', '', [tool('lookUp', '', z.object({}), fail)])),
          [[{ toolCall: { name: 'kit', input: { calls: [{ name: 'lookUp', args: {} }] } } }], 'Sorry.'],
        ),
    ],
    [
      'a hook',
      () =>
        play(
          go((prompt) => prompt.defHook(fail)),
          ['Never.'],
        ),
    ],
  ];

  test.each(cases)('in development: %s', async (_where, act) => {
    expect(await shownIn('development', act)).toEqual([broken]);
  });

  test.each(cases)('not in production: %s', async (_where, act) => {
    expect(await shownIn('production', act)).toEqual([]);
  });

  test('refused calls and calls with invalid arguments are not errors of the tool', async () => {
    const act = (): Promise<unknown> =>
      play(
        go((prompt) => prompt.defTool('lookUp', '', z.object({ name: z.string() }), () => 1)),
        lookUp,
      );
    expect(await shownIn('development', act)).toEqual([]);
  });
});
