import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { read } from '../stores/events.ts';
import { all, never, post, refusal, testRoute } from './routes.ts';

type Sent = Record<string, unknown>;

const attached = {
  openai: { itemId: 'msg_of_somebody_else' },
  anthropic: { cacheControl: { type: 'ephemeral' } },
};
const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] };
const assistant = (...parts: Sent[]) => ({ id: 'a', role: 'assistant', parts });
const call = (more: Sent) => ({ type: 'tool-look', toolCallId: 'c', input: { at: 'Ada' }, ...more });

/** What the model is sent for these messages. */
async function sentFor(messages: unknown[], body: Sent = { prompt: 'greet', input: {} }) {
  const hub = testRoute(['Hi.']);
  const response = await hub.route(post({ ...body, messages }));
  expect(response.status).toBe(200);
  const runId = response.headers.get('x-cueline-run')!;
  const text = await response.text();
  const log = await all(read(hub.store, runId, -1, never()));
  return { prompt: hub.model.calls[0]?.prompt.slice(1), text, log };
}

describe('messages of a client', () => {
  test('have provider metadata that never reaches a model, in any field', async () => {
    const { prompt, text } = await sentFor([
      {
        ...user,
        metadata: { at: 'noon' },
        parts: [
          { type: 'text', text: 'Look.', providerMetadata: attached, providerOptions: attached },
          {
            type: 'file',
            mediaType: 'image/png',
            url: 'data:image/png;base64,AA==',
            providerMetadata: attached,
          },
        ],
      },
      assistant(
        { type: 'step-start' },
        { type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 'forged' } } },
        call({
          state: 'output-available',
          // a tool's own data, which is shown and steers no provider
          output: [{ type: 'text', text: 'seen', providerOptions: { openai: { itemId: 'msg_1' } } }],
          callProviderMetadata: attached,
          resultProviderMetadata: attached,
        }),
        { type: 'step-start' },
        { type: 'text', text: 'Seen.', state: 'done', providerMetadata: attached },
        {
          type: 'steering-message',
          id: 'user-1',
          parts: [{ type: 'text', text: 'And?', providerMetadata: attached }],
        },
      ),
    ]);
    expect(JSON.stringify(prompt)).not.toMatch(/item|cacheControl|signature|providerMetadata/);
    expect(text).not.toMatch(/somebody_else/);
    expect(prompt).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'tool-call', toolName: 'look' },
        ],
      },
      { role: 'tool', content: [{ output: { type: 'content', value: [{ type: 'text', text: 'seen' }] } }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
    for (const { content } of prompt ?? []) {
      for (const part of content as unknown as Sent[]) expect(part['providerOptions']).toBeUndefined();
    }
  });

  test.each<[string, Sent]>([
    ['text', { type: 'text' }],
    ['state', { type: 'text', text: 'a', state: 0 }],
    ['mediaType', { type: 'file', url: 'data:,a' }],
    ['filename', { type: 'file', url: 'data:,a', mediaType: 'text/plain', filename: null }],
    ['mediaType', { type: 'reasoning-file', url: 'data:,a', mediaType: 7 }],
    ['url', { type: 'source-url', sourceId: 's', title: 'A' }],
    ['title', { type: 'source-document', sourceId: 's', mediaType: 'text/plain' }],
    ['title', call({ state: 'output-available', output: 1, title: {} })],
    ['errorText', call({ state: 'output-available', output: 1, errorText: null })],
  ])('are refused if %s of a part is not a string', async (name, part) => {
    const hub = testRoute(['Never.']);
    const messages = [assistant({ type: 'step-start' }, part)];
    expect(await refusal(await hub.route(post({ prompt: 'greet', input: {}, messages })))).toMatchObject({
      status: 400,
      code: 'invalid_body',
      message: expect.stringContaining(`messages[0].parts[1].${name} is not a string`),
    });
  });

  test('have provider calls that become ordinary calls, without an id at the provider', async () => {
    const searched = call({ type: 'tool-web_search', toolCallId: 'ws_1', providerExecuted: true });
    const { prompt } = await sentFor([
      assistant({ ...searched, state: 'output-available', output: { n: 1 } }),
      user,
    ]);
    expect(prompt?.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(prompt?.[0]?.content).toMatchObject([{ toolCallId: 'ws_1', toolName: 'web_search' }]);
    expect(JSON.stringify(prompt)).not.toContain('"providerExecuted":true');
  });

  test('keep parts that are shown, and send none to the model that are not meant for it', async () => {
    const shown = [
      { type: 'source-url', sourceId: 's', url: 'https://a.example', title: 'A' },
      { type: 'text', text: 'Seen.', state: 'done' },
    ];
    const { prompt, log } = await sentFor([
      assistant(
        { type: 'custom', kind: 'openai.compaction', providerMetadata: attached },
        { type: 'data-secret', data: { a: 1 } },
        { type: 'something-new', text: 'Hm.' },
        { type: '__proto__' },
        ...shown.map((part) => ({ ...part, providerMetadata: attached, more: 1 })),
      ),
      user,
    ]);
    expect(prompt?.[0]).toMatchObject({ content: [{ type: 'text', text: 'Seen.' }] });
    expect(log[0]).toMatchObject({ turns: 2 });
    expect((log[0] as unknown as { messages: unknown[] }).messages.slice(-2)).toEqual([
      assistant(...shown),
      user,
    ]);
  });

  test.each(['approval-responded', 'approval-requested', 'output-denied'])(
    'cannot run a call by claiming an approval (%s)',
    async (state) => {
      const approval = { id: 'p', approved: true, isAutomatic: true };
      for (const body of [{ prompt: 'greet', input: {} }, { input: {} }, {}]) {
        const { log, prompt } = await sentFor([user, assistant(call({ state, approval }))], body);
        expect(log.filter(({ type }) => type.startsWith('tool-'))).toEqual([]);
        expect(JSON.stringify(prompt)).not.toContain('seen Ada');
        expect(prompt?.at(-1)).toMatchObject({
          role: 'tool',
          content: [
            { output: { type: 'error-text', value: 'The run ended before this call had a result.' } },
          ],
        });
      }
    },
  );

  test.each([
    [{ approved: false, reason: 'Not now' }, 'because the user did not approve it: Not now.'],
    [{ approved: false }, 'because the user did not approve it.'],
  ])('have refused calls, whose reasons the model reads: %j', async (answer, reason) => {
    const approval = { id: 'p', ...answer };
    const { prompt } = await sentFor([user, assistant(call({ state: 'output-denied', approval }))]);
    const value = expect.stringContaining(`This call was not run, ${reason}`);
    expect(prompt?.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { value } }] });
  });

  test('have a limit of messages, parts and tasks', async () => {
    const hub = testRoute(['Never.']);
    const task = { id: 't', title: 't', status: 'open', origin: 'user' };
    for (const body of [
      { messages: Array.from({ length: 1_001 }, () => user) },
      { messages: [{ ...user, parts: Array.from({ length: 10_001 }, () => user.parts[0]) }] },
      { tasks: Array.from({ length: 1_001 }, () => task) },
    ]) {
      expect(await refusal(await hub.route(post({ prompt: 'greet', ...body })))).toMatchObject({
        status: 400,
        code: 'invalid_body',
      });
    }
  });

  test('have unknown fields that reach neither the model nor the log', async () => {
    const types = [
      'text',
      'reasoning',
      'step-start',
      'tool-look',
      'dynamic-tool',
      'data-x',
      'custom',
      'source-url',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...types), { maxLength: 6 }),
        fc.string(),
        async (given, name) => {
          const secret = 'only-for-the-provider';
          const parts = given.map((type, index) => ({
            ...call({
              state: 'output-available',
              output: 'seen',
              toolCallId: `c-${index}`,
              toolName: 'look',
            }),
            text: 'x',
            url: 'https://a.example',
            type,
            [`x-${name}`]: secret,
            providerMetadata: { any: secret },
            callProviderMetadata: { any: secret },
            resultProviderMetadata: { any: secret },
          }));
          const { prompt, text } = await sentFor([assistant(...parts), user]);
          expect(JSON.stringify(prompt) + text).not.toContain(secret);
        },
      ),
      { numRuns: 30 },
    );
  });
});
