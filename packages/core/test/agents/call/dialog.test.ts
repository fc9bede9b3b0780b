import { runPrompt } from '@cueline/core';
import { createDialog, dialogFromJSON } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDialog } from '../../../src/agents/call/dialog.ts';
import { refusalOf } from '../../support/refusal.ts';

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 'it' } } as const;
const result: ModelMessage = {
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'look',
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'seen' },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://example.com/a.png') },
          },
        ],
      },
    },
  ],
};

describe('a dialog is immutable', () => {
  test('adding a message returns another dialog', () => {
    const empty = createDialog();
    const asked = empty.append('Hi.');
    const more = asked.append([{ role: 'assistant', content: 'Hello.' }, 'How are you?']);
    expect([empty, asked, more].map(({ messages }) => messages.length)).toEqual([0, 1, 3]);
    expect(more.messages).toEqual([
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'How are you?' },
    ]);
    expect(more.id).toBe(empty.id);
  });

  test('a fork continues independently', () => {
    const dialog = createDialog('Hi.', { instructions: 'Be kind.' });
    const fork = dialog.fork();
    expect(fork).toMatchObject({ parentId: dialog.id, instructions: 'Be kind.' });
    expect(fork.id).not.toBe(dialog.id);
    expect(fork.append('More.').messages).toHaveLength(2);
    expect(dialog.messages).toHaveLength(1);
    expect(fork.fork().parentId).toBe(fork.id);
  });

  test('changes to its source or its copies do not reach it', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const url = new URL('https://example.com/a.png');
    const input = { deep: [1] };
    const dialog = createDialog([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: bytes },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
        ],
      },
      { role: 'assistant', content: [{ ...call, input }] },
    ]);
    const before = JSON.stringify(dialog);
    bytes[0] = 9;
    url.pathname = '/b.png';
    input.deep.push(2);
    for (const message of dialog.toMessages()) message.content = 'other';
    expect(() => (dialog.messages as ModelMessage[]).push(...dialog.messages)).toThrow(TypeError);
    expect(() => ((dialog.messages[1] as { content: unknown }).content = '')).toThrow(TypeError);
    const file = (dialog.messages[0]!.content as { data: { url: URL } }[])[1]!;
    file.data.url.pathname = '/c.png';
    expect(JSON.stringify(dialog)).toBe(before);
    expect((dialog.messages[0]!.content as { data: { url: URL } }[])[1]!.data.url.href).toBe(
      'https://example.com/a.png',
    );
  });
});

describe('a dialog and its JSON', () => {
  test('files are the same after a round trip', async () => {
    const dialog = createDialog([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png', data: Uint8Array.of(137, 80, 78, 71) },
          { type: 'file', mediaType: 'image/png', data: new URL('https://example.com/a.png') },
        ],
      },
      { role: 'assistant', content: [call] },
      result,
    ]);
    const text = JSON.stringify(dialog);
    const back = dialogFromJSON(JSON.parse(text));
    expect(back.toJSON()).toEqual(dialog.toJSON());
    expect(back.messages).toEqual(dialog.messages);
    expect(JSON.parse(text)).toEqual(dialog.toJSON());
    const sent = async (messages: readonly ModelMessage[]) => {
      const model = scriptedModel(['Seen.']);
      await (
        await runPrompt(() => {}, { model, options: { messages } })
      ).run.finished;
      return model.calls[0]?.prompt;
    };
    const prompt = await sent(dialog.messages);
    expect(prompt).toEqual(await sent(back.toMessages()));
    expect(prompt).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text' },
          { type: 'file', data: { type: 'data', data: 'iVBORw==' } },
          { type: 'file', data: { type: 'url', url: new URL('https://example.com/a.png') } },
        ],
      },
      { role: 'assistant' },
      {
        role: 'tool',
        content: [
          {
            output: {
              value: [{ text: 'seen' }, { data: { type: 'url', url: new URL('https://example.com/a.png') } }],
            },
          },
        ],
      },
    ]);
  });

  test('values that JSON cannot express become what JSON.stringify makes of them', () => {
    const input = { a: undefined, b: Number.NaN, c: -0, d: new Date(0), e: 10n, f: [undefined, () => 1] };
    const dialog = createDialog([{ role: 'assistant', content: [{ ...call, input }] }]);
    expect(dialog.messages[0]!.content).toEqual([
      { ...call, input: { b: null, c: 0, d: '1970-01-01T00:00:00.000Z', e: '10', f: [null, null] } },
    ]);
  });

  test('any dialog is the same after a round trip', () => {
    const part = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }) }),
      fc.record({
        type: fc.constant('file'),
        mediaType: fc.constant('image/png'),
        data: fc.uint8Array({ minLength: 1 }),
      }),
      fc.record({
        type: fc.constant('file'),
        mediaType: fc.constant('image/png'),
        data: fc.webUrl().map((url) => ({ type: 'url', url: new URL(url) })),
      }),
      fc.record({
        type: fc.constant('tool-call'),
        toolCallId: fc.string(),
        toolName: fc.string(),
        input: fc.anything({ withDate: true, withBigInt: true, withNullPrototype: true }),
      }),
    );
    const message = fc.oneof(
      fc.record({
        role: fc.constantFrom('user', 'assistant'),
        content: fc.oneof(
          fc.string().filter((text) => text.trim() !== ''),
          fc.array(part, { minLength: 1 }),
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(message), fc.option(fc.string(), { nil: undefined }), (messages, instructions) => {
        const dialog = createDialog(messages as ModelMessage[], { instructions }).fork();
        const read = dialogFromJSON(JSON.parse(JSON.stringify(dialog)));
        expect(read.toJSON()).toEqual(dialog.toJSON());
        expect(read.toJSON()).toEqual(JSON.parse(JSON.stringify(read)));
        expect(read.messages).toEqual(dialog.messages);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    [null, 'it is not an object with an id and messages'],
    [{ v: 1, id: 'd' }, 'it is not an object with an id and messages'],
    [{ v: 2, id: 'd', messages: [] }, 'its version is 2, but this version of Cueline reads 1'],
    [{ v: 1, id: 'd', parentId: 4, messages: [] }, 'its parentId is not a string'],
    [
      { v: 1, id: 'd', messages: [{ role: 'user' }] },
      'messages[0].content is undefined. Write a string, or a list of parts.',
    ],
  ])('%j is not a dialog', (json, why) => {
    expect(refusalOf(() => dialogFromJSON(json))).toMatch(
      `invalid_options: This cannot be read as a dialog: ${why.replace(/\.$/, '')}`,
    );
  });
});

describe('an invalid message is refused when it is added', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  test.each<[unknown, string]>([
    [{ role: 'system', content: 'x' }, "messages[1].role is 'system'. A dialog has its instructions beside"],
    [{ role: 'robot', content: 'x' }, "messages[1].role is 'robot'."],
    ['', 'messages[1].content is empty.'],
    [7, 'messages[1] is 7.'],
    [{ role: 'tool', content: 'x' }, "messages[1].content is 'x'. Write a list of parts."],
    [{ role: 'user', content: [{}] }, 'messages[1].content[0] is not a part.'],
    [
      { role: 'user', content: [{ type: 'file', data: new Blob(['x']) }] },
      'messages[1].content[0].data is a Blob',
    ],
    [{ role: 'assistant', content: [{ ...call, input: cycle }] }, 'is nested more than 1000 deep'],
  ])('%#', (addition, why) => {
    const fault = refusalOf(() => createDialog('Hi.').append(addition as string));
    expect(fault).toContain('invalid_definition: ');
    expect(fault).toContain(why);
  });

  test('instructions must be a string', () => {
    expect(refusalOf(() => createDialog([], { instructions: 5 as never }))).toMatch(/are 5\. Write a string/);
  });
});

test('isDialog recognizes a dialog', () => {
  expect([createDialog(), dialogFromJSON(createDialog('x').toJSON())].every(isDialog)).toBe(true);
  expect([null, [], {}, createDialog().toJSON()].some(isDialog)).toBe(false);
});
