import { runPrompt, type RunEvent } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { timeless, types } from '../support.ts';
import { sample } from '../support/sample.ts';
import { createServerSideEvents, type Wire } from '../support/server-sent-events.ts';

async function log(
  wires: readonly Wire[],
  cuts: readonly number[],
  api: 'openai' | 'openai-responses',
): Promise<RunEvent[]> {
  let call = 0;
  const { run } = await runPrompt(
    (prompt) => {
      prompt.defTool('weather', 'Weather', z.object({ city: z.string() }), ({ city }) => `Clear in ${city}`);
      prompt.$`Weather in Évora? 🌞`;
    },
    {
      model: 'local:test',
      env: { LOCAL_API_KEY: 'k', LOCAL_API_BASE: 'http://localhost:1/v1', LOCAL_API_TYPE: api },
      fetch: () => Promise.resolve(createServerSideEvents(wires[call++]!, cuts)),
      options: { maxRetries: 0 },
    },
  );
  await run.finished;
  return [...run.log()];
}

const chat: readonly Wire[] = [
  [
    { id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: 'Let me ' } }] },
    { id: 'c1', choices: [{ index: 0, delta: { content: 'look — açaí 🌞' } }] },
    {
      id: 'c1',
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [
              { index: 0, id: 't1', type: 'function', function: { name: 'weather', arguments: '' } },
            ],
          },
        },
      ],
    },
    {
      id: 'c1',
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Év' } }] } }],
    },
    {
      id: 'c1',
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'ora"}' } }] } }],
    },
    { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { id: 'c1', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    '[DONE]',
  ],
  [
    { id: 'c2', choices: [{ index: 0, delta: { role: 'assistant', content: 'Clear.' } }] },
    { id: 'c2', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  ],
];

describe('a model call over HTTP', () => {
  test('gives the same log for any cuts of its bytes', async () => {
    const whole = timeless(await log(chat, [], 'openai'));
    expect(whole.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_500 }), { maxLength: 40 }), async (cuts) => {
        expect(timeless(await log(chat, cuts, 'openai'))).toEqual(whole);
      }),
      { numRuns: sample(60) },
    );
    // and byte by byte
    const every = Array.from({ length: 2_000 }, (_, index) => index + 1);
    expect(timeless(await log(chat, every, 'openai'))).toEqual(whole);
  });

  test('ends the run with the provider’s message after an error event', async () => {
    const events = await log(
      [
        [
          {
            type: 'error',
            sequence_number: 1,
            error: { type: 'server_error', code: 'server_error', message: 'We are full.' },
          },
        ],
      ],
      [],
      'openai-responses',
    );
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
    expect(JSON.stringify(events.at(-1))).toContain('We are full.');
    expect(types(events).filter((type) => type === 'run-end')).toHaveLength(1);
  });

  test.each([1, 2, 4])('fails without running a tool if its stream ends after %s events', async (length) => {
    const events = await log([chat[0]!.slice(0, length)], [], 'openai');
    expect(events.at(-1)).toMatchObject({ outcome: 'error', error: { code: 'stream_truncated' } });
    expect(types(events)).not.toContain('tool-start');
  });
});
