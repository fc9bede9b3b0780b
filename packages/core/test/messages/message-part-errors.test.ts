import { CuelineError } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../support/refusal.ts';

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d);
const pdf = new TextEncoder().encode('%PDF-1.7');
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} } as const;
const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'look' } as const;

describe('An invalid message part is an error with its path', () => {
  const user =
    (...parts: unknown[]) =>
    (prompt: Prompt) => {
      prompt.defMessage('user', parts as never);
    };
  const tool =
    (part: object) =>
    (prompt: Prompt): void => {
      prompt.defMessage('assistant', [call]);
      prompt.defMessage('tool', [part as never]);
    };

  test.each<[(prompt: Prompt) => unknown, string]>([
    [
      (prompt) => {
        prompt.$`One.`;
        prompt.$`Two.`;
        user({ type: 'text', text: 'a' }, { type: 'file', data: pdf })(prompt);
      },
      "messages[2].content[1].mediaType is missing. Say what the file is, such as 'application/pdf'.",
    ],
    [
      user({ type: 'audio', data: 'SUQz' }),
      "messages[0].content[0].mediaType is missing. Say what the audio is, such as 'audio/mpeg'.",
    ],
    [
      user({ type: 'file', data: pdf, mediaType: 'pdf' }),
      "mediaType is 'pdf', which is not a media type. Write one, such as 'application/pdf'.",
    ],
    [
      user({ type: 'picture' }),
      "messages[0].content[0].type is 'picture'. A message of the user can have text, image, file, audio.",
    ],
    [user({ text: 'a' }), 'messages[0].content[0].type is missing. A message of the user can have'],
    [
      user(call),
      "messages[0].content[0].type is 'tool-call', which belongs in a message of the assistant. Write prompt.defMessage('assistant', [{ type: 'tool-call', … }]).",
    ],
    [user('Hi.'), "messages[0].content[0] is 'Hi.'. Write { type: 'text', … }."],
    [user(null), 'messages[0].content[0] is null.'],
    [user({ type: 'text', text: ' ' }), 'messages[0].content[0].text is empty.'],
    [user({ type: 'text' }), 'messages[0].content[0].text is missing.'],
    [user({ type: 'text', text: 5 }), 'messages[0].content[0].text is 5.'],
    [user({ type: 'text', text: 'a', providerOptions: { a: 1 } }), '.providerOptions must be options by'],
    [user({ type: 'image' }), 'messages[0].content[0].image is missing. Give bytes, base64, a URL'],
    [user({ type: 'image', image: 5 }), '.image is 5.'],
    [user({ type: 'image', image: '' }), ".image is '', which is neither base64"],
    [
      user({ type: 'image', image: './image.png' }),
      "messages[0].content[0].image is './image.png', which is neither base64, a data URL, an http(s) URL nor a provider's file id. Read the file, and give its bytes.",
    ],
    [user({ type: 'image', image: new URL('file:///image.png') }), ".image is 'file:///image.png', which is"],
    [user({ type: 'image', image: 'data:image/png;base64,§' }), '.image is a data URL that cannot be read.'],
    [user({ type: 'image', image: 'data:nonsense' }), '.image is a data URL that cannot be read.'],
    [user({ type: 'image', image: 'data:a/b,%E0%A4%A' }), '.image is a data URL that cannot be read.'],
    [user({ type: 'image', image: { openai: 5 } }), '.image is an object that is not a file.'],
    [user({ type: 'image', image: new Uint8Array() }), '.image has no bytes.'],
    [user({ type: 'image', image: { type: 'data', data: './a' } }), ".image.data is './a', which is neither"],
    [user({ type: 'file', data: pdf, mediaType: 'a/b', filename: 5 }), '.filename is 5.'],
    [user({ type: 'file', data: new Blob(['x']), mediaType: '' }), '.mediaType is missing.'],
    [user(), 'A message of the user has no text.'],
    [(prompt) => prompt.defMessage('assistant', [{ ...call, input: '{}' } as never]), ".input is '{}'."],
    [
      (prompt) => prompt.defMessage('assistant', [{ type: 'tool-call', toolName: 'a', input: {} } as never]),
      'messages[0].content[0].toolCallId is missing. Give the call and its result the same id.',
    ],
    [(prompt) => prompt.defMessage('assistant', [{ type: 'reasoning', text: '' }]), '.text is empty.'],
    [
      (prompt) => prompt.defMessage('tool', 'sunny' as never),
      'messages[0].content must be a list of results',
    ],
    [tool({ ...result, toolName: '', output: 1 }), 'messages[1].content[0].toolName is'],
    [tool(result), 'messages[1].content[0].output is missing.'],
    [tool({ ...result, output: 1n ** 2n, type: 'tool-error' }), 'messages[1].content[0].error is missing.'],
    [
      tool({ ...result, output: [{ type: 'file', data: pdf }] }),
      "messages[1].content[0].output[0].mediaType is missing. Say what the file is, such as 'application/pdf'.",
    ],
    [
      tool({ ...result, output: [{ type: 'image', image: new Blob([png]) }] }),
      'messages[1].content[0].output[0] is a Blob. Read it first: new Uint8Array(await blob.arrayBuffer()).',
    ],
    [
      tool({ ...result, output: { type: 'content', value: ['a'] } }),
      'messages[1].content[0].output.value[0] is not a part.',
    ],
    [
      (prompt) => {
        const cyclic: Record<string, unknown> = {};
        cyclic['self'] = cyclic;
        tool({ ...result, output: cyclic })(prompt);
      },
      'messages[1].content[0].output is not JSON (Converting circular structure to JSON).',
    ],
    [
      tool({ ...result, toolCallId: 'call_9', output: 1 }),
      "messages[1].content[0].toolCallId is 'call_9', but no message before it has a call of that id. Open calls: call_1. Put the assistant's message with the tool-call first.",
    ],
    [
      (prompt) => {
        tool({ ...result, output: 1 })(prompt);
        prompt.defMessage('tool', [{ ...result, output: 2 }]);
      },
      "messages[2].content[0].toolCallId is 'call_1', a call that already has its result. Leave one of the two out.",
    ],
    [
      (prompt) => {
        prompt.defMessage('assistant', [call]);
        prompt.defMessage('tool', [
          { ...result, output: 1 },
          { ...result, output: 2 },
        ]);
      },
      "messages[1].content[1].toolCallId is 'call_1', a call that already has its result. Leave one of the two out.",
    ],
    [
      (prompt) => {
        prompt.defMessage('assistant', [call]);
        prompt.$`And?`;
      },
      "The call 'call_1' of look has no result yet, and needs one before the next message of the user. Write prompt.defMessage('tool', [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'look', output: … }]).",
    ],
  ])('%#', (act, part) => {
    const text = refusalOf(() => act(new Prompt()));
    expect(text).toMatch(/^invalid_definition: /);
    expect(text).toContain(part);
  });

  test('An invalid message part adds no message', () => {
    const prompt = new Prompt();
    expect(() => prompt.defMessage('user', [{ type: 'image', image: 'x.png' }])).toThrow(CuelineError);
    expect(prompt.definitions.messages).toEqual([]);
  });
});
