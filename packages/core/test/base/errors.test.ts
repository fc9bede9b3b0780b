// An error of this process keeps its stack and its cause; the log has what is safe to store.
import { CuelineError, createRun, definePrompt, tool, type SerializedError } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { play } from '../support.ts';

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

test('an error and its JSON are the same error in one process, and a copy elsewhere', () => {
  const error = new CuelineError('script_error', 'It failed.', { cause: broken, details: { step: 1 } });
  const json = error.toJSON();
  expect(CuelineError.fromJSON(json)).toBe(error);
  const elsewhere = CuelineError.fromJSON(JSON.parse(JSON.stringify(json)) as SerializedError);
  expect(elsewhere).not.toBe(error);
  expect(elsewhere).toMatchObject({ code: 'script_error', message: 'It failed.', details: { step: 1 } });
  expect(elsewhere.cause).toBeUndefined();
});

test('a run that fails rejects with what was thrown as the cause, and its log has the message alone', async () => {
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

test('a tool that fails with a key in its message keeps its error as the cause of the one without', async () => {
  const secret = 'sk-1234567890abcdef1234567890';
  const leak = new Error(`refused: ${secret}`);
  const seen: unknown[] = [];
  const { run } = await play(
    (prompt) => {
      prompt.defTool('lookUp', '', z.object({}), () => {
        throw leak;
      });
      prompt.$`Go.`;
    },
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

describe('what the script threw is on the console', () => {
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
        play((prompt) => {
          prompt.defTool('lookUp', '', z.object({}), fail);
          prompt.$`Go.`;
        }, lookUp),
    ],
    [
      'a tool that streams',
      () =>
        play((prompt) => {
          prompt.defTool('lookUp', '', z.object({}), async function* () {
            yield 1;
            fail();
          });
          prompt.$`Go.`;
        }, lookUp),
    ],
    [
      'a part of a composite tool',
      () =>
        play(
          (prompt) => {
            prompt.defTool('kit', '', [tool('lookUp', '', z.object({}), fail)]);
            prompt.$`Go.`;
          },
          [[{ toolCall: { name: 'kit', input: { calls: [{ name: 'lookUp', args: {} }] } } }], 'Sorry.'],
        ),
    ],
    [
      'a hook',
      () =>
        play(
          (prompt) => {
            prompt.defHook(fail);
            prompt.$`Go.`;
          },
          ['Never.'],
        ),
    ],
  ];

  test.each(cases)('while the app is being developed: %s', async (_where, act) => {
    expect(await shownIn('development', act)).toEqual([broken]);
  });

  test.each(cases)('and not in production: %s', async (_where, act) => {
    expect(await shownIn('production', act)).toEqual([]);
  });

  test('a refused call, and one with arguments that do not fit, are not errors of the tool', async () => {
    const act = (): Promise<unknown> =>
      play((prompt) => {
        prompt.defTool('lookUp', '', z.object({ name: z.string() }), () => 1);
        prompt.$`Go.`;
      }, lookUp);
    expect(await shownIn('development', act)).toEqual([]);
  });
});
