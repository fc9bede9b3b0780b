import type { ModelMessage, UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { toModelMessages, toUIMessages } from '../../src/messages/ui-messages.ts';
import { json } from '../support.ts';

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const pngUrl = 'data:image/png;base64,iVBORw0KGgo=';

/** The parts that are shown of a message of the user. */
function shown(...content: object[]): unknown {
  return toUIMessages([{ role: 'user', content } as ModelMessage])[0]!.parts;
}

describe('messages for the UI', () => {
  test('have their positions as ids, whatever is left out', () => {
    expect(
      toUIMessages([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'b' }] },
        { role: 'assistant', content: 'Hello.' },
      ]),
    ).toEqual([
      { id: 'prompt-1', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] },
      { id: 'prompt-3', role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] },
    ]);
  });

  test.each<[string, object]>([
    ['base64', { type: 'file', data: { type: 'data', data: 'iVBORw0KGgo=' }, mediaType: 'image/png' }],
    ['bytes', { type: 'file', data: png, mediaType: 'image/png' }],
    ['the former image part', { type: 'image', image: png }],
    ['a data URL', { type: 'file', data: new URL(pngUrl), mediaType: 'image/png' }],
  ])('show a file in the form of %s', (_name, part) => {
    expect(shown(part)).toEqual([{ type: 'file', mediaType: 'image/png', url: pngUrl }]);
  });

  test('show an outside file by its URL, and a text file as text', () => {
    expect(
      shown(
        {
          type: 'file',
          data: { type: 'url', url: new URL('https://example.com/a.pdf') },
          mediaType: 'application/pdf',
          filename: 'a.pdf',
        },
        { type: 'file', data: { type: 'text', text: 'a ç' }, mediaType: 'text/plain' },
      ),
    ).toEqual([
      {
        type: 'file',
        mediaType: 'application/pdf',
        filename: 'a.pdf',
        url: 'https://example.com/a.pdf',
      },
      { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;charset=utf-8,a%20%C3%A7' },
    ]);
  });

  test('have a note in place of content that cannot be shown or is too large to keep', () => {
    const size = 256 * 1_024;
    const file = (data: unknown, filename?: string): object => ({
      type: 'file',
      data,
      mediaType: 'application/pdf',
      ...(filename === undefined ? {} : { filename }),
    });
    expect(
      shown(
        file(new Uint8Array(size + 3), 'a.pdf'),
        file(new Uint8Array(3_000_000)),
        file({ type: 'reference', reference: { openai: 'file-1' } }),
        file(new URL('javascript:alert(1)')),
        file('./a.pdf'),
        file(new Blob(['a'])),
      ),
    ).toEqual([
      { type: 'text', text: '[a.pdf, 0.3 MB]' },
      { type: 'text', text: '[application/pdf, 2.9 MB]' },
      { type: 'text', text: '[application/pdf, file-1]' },
      { type: 'text', text: '[application/pdf, not shown]' },
      { type: 'text', text: '[application/pdf, not shown]' },
      { type: 'text', text: '[application/pdf, not shown]' },
    ]);
    // what is just small enough
    expect(shown(file(new Uint8Array(size - 1)))).toMatchObject([{ type: 'file' }]);
  });

  test('have the results of calls, wherever those are', () => {
    const call = (id: string): object => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'look',
      input: { id },
    });
    const result = (id: string, output: object): object => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'look',
      output,
    });
    const image = { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' };
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          ...['text', 'json', 'content', 'error-text', 'error-json', 'denied', 'open'].map(call),
        ],
      },
      {
        role: 'tool',
        content: [
          result('text', { type: 'text', value: 'a' }),
          result('json', { type: 'json', value: { a: 1 } }),
          result('content', { type: 'content', value: [{ type: 'text', text: 'a' }, image] }),
          result('error-text', { type: 'error-text', value: 'no' }),
        ],
      },
      {
        role: 'tool',
        content: [
          result('error-json', { type: 'error-json', value: { no: 1 } }),
          result('denied', { type: 'execution-denied', reason: 'not now' }),
        ],
      },
    ] as ModelMessage[];
    const part = (toolCallId: string, state: string, rest: object): object => ({
      type: 'tool-look',
      toolCallId,
      input: { id: toolCallId },
      state,
      ...rest,
    });
    const parts = [
      { type: 'reasoning', text: 'Hm.' },
      part('text', 'output-available', { output: 'a' }),
      part('json', 'output-available', { output: { a: 1 } }),
      part('content', 'output-available', {
        output: [
          { type: 'text', text: 'a' },
          { type: 'file', mediaType: 'image/png', url: pngUrl },
        ],
      }),
      part('error-text', 'output-error', { errorText: 'no' }),
      part('error-json', 'output-error', { errorText: '{"no":1}' }),
      part('denied', 'output-error', { errorText: 'not now' }),
      part('open', 'input-available', {}),
    ];
    expect(toUIMessages(messages)).toEqual([{ id: 'prompt-0', role: 'assistant', parts }]);
    expect(json(toUIMessages(messages))).toEqual(toUIMessages(messages));
  });
});

test('send parts that a tool returned as parts in later turns', async () => {
  const call = (toolCallId: string, toolName: string, output: unknown): UIMessage['parts'][number] => ({
    type: `tool-${toolName}`,
    toolCallId,
    state: 'output-available',
    input: {},
    output,
  });
  const messages = await toModelMessages([
    {
      id: '1',
      role: 'assistant',
      parts: [
        call('a', 'look', [{ type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }]),
        call('b', 'list', [1, 2]),
      ],
    },
  ]);
  expect(messages[1]).toEqual({
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName: 'look',
        output: {
          type: 'content',
          value: [{ type: 'file', data: { type: 'data', data: 'iVBORw0KGgo=' }, mediaType: 'image/png' }],
        },
      },
      { type: 'tool-result', toolCallId: 'b', toolName: 'list', output: { type: 'json', value: [1, 2] } },
    ],
  });
});

describe('a step of the Responses API', () => {
  type Part = UIMessage['parts'][number];
  const item = (itemId: string): { providerMetadata: { openai: { itemId: string } } } => ({
    providerMetadata: { openai: { itemId } },
  });
  const start: Part = { type: 'step-start' };
  const thought: Part = { type: 'reasoning', text: 'Hm.', state: 'done', ...item('rs_1') };
  const text: Part = { type: 'text', text: 'Half', state: 'done', ...item('msg_1') };
  const call: Part = { type: 'tool-look', toolCallId: 'a', state: 'output-available', input: {}, output: 1 };
  const searched: Part = { ...call, providerExecuted: true };
  const open: Part = { type: 'tool-look', toolCallId: 'b', state: 'input-available', input: {} };

  /** What the model is sent of a message with these parts: types of parts, and ids of items. */
  async function sent(...parts: Part[]): Promise<string[]> {
    const messages = await toModelMessages([{ id: '1', role: 'assistant', parts: [start, ...parts] }]);
    return messages.flatMap(({ content }) =>
      (content as { type: string; text?: string; providerOptions?: { openai?: { itemId: string } } }[]).map(
        ({ type, text: said, providerOptions }) =>
          [type, said, providerOptions?.openai?.itemId].filter((word) => word !== undefined).join(' '),
      ),
    );
  }

  test('that has ended keeps the ids of its items', async () => {
    expect(await sent(thought, text)).toEqual(['reasoning Hm. rs_1', 'text Half msg_1']);
    expect(await sent(thought, searched, text)).toHaveLength(4);
  });

  test.each<[string, Part[], string[]]>([
    ['in its reasoning', [{ ...thought, state: 'streaming' }], []],
    ['after its reasoning', [thought], []],
    ['in its text', [thought, { ...text, state: 'streaming' }], ['text Half']],
    ['before its text', [thought, { ...text, text: '', state: 'streaming' }], []],
    ['in a call', [thought, text, open], ['text Half']],
    ['between two results', [thought, call, open], ['tool-call', 'tool-result']],
    ['after the search of the provider', [thought, searched, { ...thought }], []],
  ])('that was cut off %s refers to none', async (_where, parts, expected) => {
    expect(await sent(...parts)).toEqual(expected);
  });

  test('that was cut off takes nothing from the steps before it', async () => {
    const cut: Part = { ...text, text: 'More', state: 'streaming' };
    expect(await sent(thought, text, start, { ...thought }, cut)).toEqual([
      'reasoning Hm. rs_1',
      'text Half msg_1',
      'text More',
    ]);
  });

  test("leaves another provider's reasoning as it is", async () => {
    const signed: Part = {
      type: 'reasoning',
      text: 'Hm.',
      state: 'streaming',
      providerMetadata: { anthropic: { signature: 's' } },
    };
    expect(await sent(signed)).toEqual(['reasoning Hm.']);
  });
});

test('send arguments that are not an object as an empty object', async () => {
  const failed = (toolCallId: string, input: unknown): UIMessage['parts'][number] => ({
    type: 'tool-look',
    toolCallId,
    state: 'output-error',
    input,
    errorText: 'Invalid input.',
  });
  const [message] = await toModelMessages([
    { id: '1', role: 'assistant', parts: [failed('a', ['x']), failed('b', '{"x'), failed('c', { x: 1 })] },
  ]);
  expect(message?.content).toMatchObject([{ input: {} }, { input: {} }, { input: { x: 1 } }]);
});

describe('leave out of earlier turns', () => {
  type Part = UIMessage['parts'][number];
  const user = (...parts: Part[]): UIMessage => ({ id: 'u', role: 'user', parts });
  const answer = (...parts: Part[]): UIMessage => ({ id: 'a', role: 'assistant', parts });
  const text = (content: string): Part => ({ type: 'text', text: content });
  const start: Part = { type: 'step-start' };
  const thought: Part = { type: 'reasoning', text: 'Hm.', state: 'streaming' };
  const image: Part = { type: 'file', mediaType: 'image/png', url: pngUrl };
  const question = user(text('Hi.'));

  /** The roles of the messages that the model is sent, and the types of their parts. */
  async function sent(...turns: UIMessage[]): Promise<string[]> {
    const messages = await toModelMessages(turns);
    return messages.map(({ role, content }) =>
      [role, ...(content as { type: string }[]).map(({ type }) => type)].join(' '),
    );
  }

  test.each<[string, UIMessage, string[]]>([
    ['an answer of white space', answer(start, { type: 'text', text: '\n\n', state: 'streaming' }), []],
    ['a message of spaces', user(text('  ')), []],
    ['spaces beside a file', user(text('  '), image), ['user file']],
    ['white space before a text', answer(start, text('\n\n'), text('Yes.')), ['assistant text']],
    ['an answer that was stopped in its reasoning', answer(start, thought), []],
    ['reasoning and white space', answer(start, thought, text('\n')), []],
    ['reasoning after a text', answer(start, text('Yes.'), start, thought), ['assistant text']],
    [
      'a message between two steps without a text',
      answer(start, text('Yes.'), { type: 'steering-message', id: 's', parts: [{ type: 'text', text: '' }] }),
      ['assistant text'],
    ],
  ])('%s', async (_what, turn, expected) => {
    expect(await sent(question, turn, question)).toEqual(['user text', ...expected, 'user text']);
  });

  test('no white space that a provider has given metadata, and none of a system message', async () => {
    const marked: Part = { type: 'text', text: ' ', providerMetadata: { anthropic: { a: 1 } } };
    expect(await sent(answer(start, marked))).toEqual(['assistant text']);
    const system: UIMessage = { id: 's', role: 'system', parts: [text('A'), text('\n'), text('B')] };
    expect(await toModelMessages([system])).toMatchObject([{ content: 'A\nB' }]);
  });
});
