import { createMemoryLimits } from '@cueline/edge';
import { expect, test } from 'vitest';
import { startCpuTime } from '../../../core/test/support/cpu-time.ts';
import { ask, endless, post, testRoute } from './routes.ts';

const user = (parts: unknown[]) => ({ id: 'u', role: 'user', parts });
const pdf = 'JVBERi0xLjQ=';

/** What a run that was stopped in its first step is said to have used, and what it is charged. */
async function cutOff(parts: unknown[], role = 'user'): Promise<{ tokens: number; settled: number[] }> {
  const settled: number[] = [];
  const limitStore = createMemoryLimits();
  const settle: typeof limitStore.settle = (call) => {
    settled.push(call.tokens ?? NaN);
    return limitStore.settle(call);
  };
  const hub = testRoute([endless], {
    limits: { dailyTokens: 1_000_000, maxOutputTokens: 100 },
    limitStore: { ...limitStore, settle },
  });
  const messages = [{ id: 'm', role, parts }, user([{ type: 'text', text: 'Well?' }])];
  const response = await hub.route(post({ input: {}, messages }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
  await response.text();
  await expect.poll(() => settled).toHaveLength(1);
  return {
    tokens: hub.events.flatMap((event) => (event.type === 'run-end' ? event.tokens : []))[0]!,
    settled,
  };
}

test('an interrupted step counts each byte, in every writing system', async () => {
  const [latin, han] = await Promise.all(
    ['abc', '漢'].map((word) => cutOff([{ type: 'text', text: word.repeat(100_000) }])),
  );
  expect(latin?.tokens).toBeGreaterThan(300_000);
  expect(han?.tokens).toBe(latin?.tokens);
});

test('many small picture files count as pictures in an interrupted step', async () => {
  const url = 'data:image/gif;base64,R0lGODdhAAgACA==';
  const { tokens } = await cutOff(
    Array.from({ length: 20 }, () => ({ type: 'file', mediaType: 'image/gif', url })),
  );
  expect([tokens > 240_000, tokens < 243_000]).toEqual([true, true]);
});

test.each([
  [
    'a user',
    'user',
    { type: 'file', mediaType: 'application/pdf', url: `data:application/pdf;base64,${pdf}` },
  ],
  [
    'a tool',
    'assistant',
    {
      type: 'tool-look',
      toolCallId: 'c',
      state: 'output-available',
      input: { at: 'x' },
      output: [{ type: 'file', data: pdf, mediaType: 'application/pdf' }],
    },
  ],
])('a file of %s of unknown length counts as the whole context of the model', async (_whose, role, part) => {
  const { tokens, settled } = await cutOff([part], role);
  expect([tokens, settled]).toEqual([200_100, [200_100]]);
});

test('text and pictures use what they are counted as', async () => {
  const { tokens, settled } = await cutOff([
    { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,SGk=' },
    { type: 'file', mediaType: 'image/gif', url: 'data:image/gif;base64,R0lGODdhAAgACA==' },
  ]);
  expect(settled).toEqual([tokens]);
});

test('an invented error of a client is redacted in linear time', async () => {
  const errorText = `AI_InvalidToolInputError: ${': AI_TypeValidationError: '.repeat(18_000)}${'\nError message: ['.repeat(25_000)}`;
  const part = { type: 'tool-look', toolCallId: 'c', state: 'output-error', input: { at: 'x' }, errorText };
  const hub = testRoute(['Hi.']);
  const cpuTime = startCpuTime();
  const response = await hub.route(
    post({
      input: {},
      messages: [user([{ type: 'text', text: 'Hi' }]), { id: 'a', role: 'assistant', parts: [part] }],
    }),
  );
  expect(await response.text()).toContain('"outcome":"done"');
  expect(cpuTime()).toBeLessThan(2_000);
}, 60_000);
