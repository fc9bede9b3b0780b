import { imagePart } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveMessages } from '../../src/messages/resolve-messages.ts';

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d);
const pngText = 'iVBORw0KGgoAAAAN';
const pdf = new TextEncoder().encode('%PDF-1.7');
const pdfText = 'JVBERi0xLjc=';

/** What is sent for `png` and for `pdf`. */
const sentPng = { type: 'file', data: { type: 'data', data: pngText }, mediaType: 'image/png' };
const sentPdf = { type: 'file', data: { type: 'data', data: pdfText }, mediaType: 'application/pdf' };

const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} } as const;
const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'look' } as const;

/** The one message that a user's parts become. */
function said(...parts: Record<string, unknown>[]): unknown {
  const prompt = new Prompt();
  prompt.defMessage('user', parts as never);
  return prompt.definitions.messages[0]!.content;
}

/** The output that the model reads for a tool's result `output`. */
function told(output: unknown): unknown {
  const prompt = new Prompt();
  prompt.defMessage('assistant', [call]);
  prompt.defMessage('tool', [{ ...result, output } as never]);
  return (prompt.definitions.messages[1]!.content as { output: unknown }[])[0]!.output;
}

describe('messages of the user', () => {
  test('can be text with provider options', () => {
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    expect(said({ type: 'text', text: 'Hi.', providerOptions })).toEqual([
      { type: 'text', text: 'Hi.', providerOptions },
    ]);
  });

  test.each([
    ['bytes', png],
    ['a Buffer', Buffer.from(png)],
    ['a part of a larger buffer', new Uint8Array([1, 2, ...png, 3]).subarray(2, 14)],
    ['an ArrayBuffer', png.slice().buffer],
    ['base64', pngText],
    ['base64 in lines', 'iVBORw0K\nGgoAAAAN\n'],
    ['a data URL', `data:image/png;base64,${pngText}`],
    ['a data URL as a URL', new URL(`data:image/png;base64,${pngText}`)],
    ['the AI SDK’s form', { type: 'data', data: png }],
  ])('can be an image as %s', (_name, image) => {
    expect(said({ type: 'image', image })).toEqual([sentPng]);
  });

  test.each([
    ['PNG', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
    ['JPEG', [0xff, 0xd8, 0xff, 0xe0], 'image/jpeg'],
    ['GIF', [...Buffer.from('GIF89a')], 'image/gif'],
    ['WebP', [...Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ')], 'image/webp'],
    ['AVIF', [0, 0, 0, 0x1c, ...Buffer.from('ftypavif')], 'image/avif'],
    ['something else', [...Buffer.from('BM1234567890')], 'image/*'],
    ['a sound in the same kind of file as WebP', [...Buffer.from('RIFF1234WAVEfmt ')], 'image/*'],
  ])('recognize %s by its bytes', (_name, bytes, mediaType) => {
    expect(said({ type: 'image', image: Uint8Array.from(bytes) })).toMatchObject([{ mediaType }]);
  });

  test.each([
    ['https://example.com/image.png', 'image/png'],
    [new URL('http://example.com/photo.JPG?size=2'), 'image/jpeg'],
    ['https://example.com/image', 'image/*'],
    ['https://example.com/image.constructor', 'image/*'],
  ])('can be an image at %s', (image, mediaType) => {
    expect(said({ type: 'image', image })).toEqual([
      { type: 'file', data: { type: 'url', url: new URL(image) }, mediaType },
    ]);
  });

  test.each([
    ['file-8EFBcWHsQxZV7YGezBC1fq', { openai: 'file-8EFBcWHsQxZV7YGezBC1fq' }],
    ['file_011CNha8iCJcU1wXNR6q4V8w', { anthropic: 'file_011CNha8iCJcU1wXNR6q4V8w' }],
    [
      { azure: 'assistant-1', openai: 'file-1' },
      { azure: 'assistant-1', openai: 'file-1' },
    ],
    [{ type: 'reference', reference: { google: 'f' } }, { google: 'f' }],
  ])('can be an image by the provider’s id %j', (image, reference) => {
    expect(said({ type: 'image', image })).toEqual([
      { type: 'file', data: { type: 'reference', reference }, mediaType: 'image/*' },
    ]);
  });

  test('can be a file or a recording, with the media type of the caller', () => {
    expect(
      said(
        { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' },
        { type: 'audio', data: Buffer.from('ID3'), mediaType: 'audio/mpeg' },
        { type: 'file', data: 'data:text/plain,caf%C3%A9', mediaType: 'text/markdown' },
        { type: 'file', data: 'data:text/csv;charset=utf-8;base64,YQ' },
        { type: 'file', data: { type: 'text', text: 'a,b' } },
      ),
    ).toEqual([
      { ...sentPdf, filename: 'a.pdf' },
      { type: 'file', data: { type: 'data', data: 'SUQz' }, mediaType: 'audio/mpeg' },
      { type: 'file', data: { type: 'data', data: 'Y2Fmw6k=' }, mediaType: 'text/markdown' },
      { type: 'file', data: { type: 'data', data: 'YQ==' }, mediaType: 'text/csv' },
      { type: 'file', data: { type: 'text', text: 'a,b' }, mediaType: 'text/plain' },
    ]);
  });

  test('keep their bytes unchanged, in any form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64');
        const sent = [{ type: 'data', data: base64 }];
        const mediaType = 'application/zip';
        const forms = [bytes, base64, Buffer.from(bytes).toString('base64url'), `data:;base64,${base64}`];
        // a short text in the web's alphabet may also read as the id of a file
        fc.pre(!/^file[-_]/.test(forms[2] as string));
        for (const data of forms) {
          const [part] = said({ type: 'file', data, mediaType }) as [{ data: unknown }];
          expect([part.data]).toEqual(sent);
        }
      }),
    );
  });

  test('do not change if the bytes change later', () => {
    const bytes = png.slice();
    const prompt = new Prompt();
    prompt.defMessage('user', [{ type: 'image', image: bytes }]);
    bytes.fill(0);
    expect(prompt.definitions.messages[0]!.content).toMatchObject([{ data: { data: pngText } }]);
  });

  test('read a File when the run starts', async () => {
    const prompt = new Prompt();
    prompt.defMessage('user', 'Before.');
    prompt.defMessage('user', [
      { type: 'text', text: 'See:' },
      { type: 'image', image: new Blob([png]) },
      { type: 'file', data: new File([pdf], 'a.pdf', { type: 'application/pdf' }), mediaType: '' },
    ]);
    const { messages } = prompt.definitions;
    const resolved = await resolveMessages(messages);
    expect(resolved[0]).toBe(messages[0]);
    expect(resolved[1]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'See:' }, sentPng, { ...sentPdf, filename: 'a.pdf' }],
    });
  });

  test('report a missing or empty File with its path', async () => {
    const prompt = new Prompt();
    const gone = new File(['x'], 'a.txt', { type: 'text/plain' });
    gone.arrayBuffer = () => Promise.reject(new Error('gone'));
    prompt.defMessage('user', [{ type: 'file', data: gone, mediaType: 'text/plain' }]);
    await expect(resolveMessages(prompt.definitions.messages)).rejects.toMatchObject({
      code: 'invalid_definition',
      message: 'messages[0].content[0] could not be read (gone). Choose the file again.',
    });
    const empty = new Prompt();
    empty.defMessage('user', [{ type: 'image', image: new Blob([]) }]);
    await expect(resolveMessages(empty.definitions.messages)).rejects.toThrow('has no bytes');
  });
});

describe('messages of the assistant and of tools', () => {
  test('can have every part of the assistant', () => {
    const prompt = new Prompt();
    prompt.defMessage('assistant', [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'x' } } },
      { type: 'text', text: 'I will look.' },
      { type: 'image', image: png },
      { type: 'file', data: pdf, mediaType: 'application/pdf' },
      { ...call, input: { at: new Date(0), skip: undefined } },
    ]);
    expect(prompt.definitions.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'x' } } },
          { type: 'text', text: 'I will look.' },
          sentPng,
          sentPdf,
          { ...call, input: { at: '1970-01-01T00:00:00.000Z' } },
        ],
      },
    ]);
  });

  test.each<[unknown, unknown]>([
    ['22 degrees', { type: 'text', value: '22 degrees' }],
    ['', { type: 'text', value: '' }],
    [
      { temperature: 22, conditions: 'sunny' },
      { type: 'json', value: { temperature: 22, conditions: 'sunny' } },
    ],
    [42, { type: 'json', value: 42 }],
    [null, { type: 'json', value: null }],
    [[1, 'two'], { type: 'json', value: [1, 'two'] }],
    // data that only has a type, too
    [
      { type: 'text', value: 'a', n: 1 },
      { type: 'json', value: { type: 'text', value: 'a', n: 1 } },
    ],
    [
      { type: 'text', value: 5 },
      { type: 'json', value: { type: 'text', value: 5 } },
    ],
    [
      { type: 'content', value: [{ type: 'image', image: png }] },
      { type: 'content', value: [sentPng] },
    ],
    [
      [
        { type: 'text', text: 'See:' },
        { type: 'image', data: Buffer.from(png), mediaType: 'image/png' },
        { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' },
      ],
      {
        type: 'content',
        value: [{ type: 'text', text: 'See:' }, sentPng, { ...sentPdf, filename: 'a.pdf' }],
      },
    ],
  ])('can have an output of %j', (output, sent) => {
    expect(told(output)).toEqual(sent);
  });

  test.each([
    { type: 'text', value: 'as it is' },
    { type: 'json', value: [1] },
    { type: 'error-text', value: 'no' },
    { type: 'error-json', value: { no: 1 } },
    { type: 'execution-denied', reason: 'no' },
  ])('can have the output %j as it is', (output) => {
    expect(told(output)).toEqual(output);
  });

  test('can have an error, which is the error of that call', () => {
    const prompt = new Prompt();
    prompt.defMessage('assistant', [call]);
    const providerOptions = { openai: { a: 1 } };
    prompt.defMessage('tool', [
      { type: 'tool-error', toolCallId: 'call_1', toolName: 'look', error: 'Too dark.', providerOptions },
    ]);
    expect(prompt.definitions.messages[1]).toEqual({
      role: 'tool',
      content: [{ ...result, output: { type: 'error-text', value: 'Too dark.' }, providerOptions }],
    });
  });
});

describe('an output from outside', () => {
  const address = { type: 'file', data: 'http://169.254.169.254/', mediaType: 'text/plain' };
  test('is data if it is a list with an outside file', () => {
    expect(told([address])).toEqual({ type: 'json', value: [address] });
  });

  test.each([
    ['as content', { type: 'content', value: [address] }],
    ['as content with a file id', { type: 'content', value: [{ ...address, data: { openai: 'file-1' } }] }],
    ['beside bytes', [{ type: 'image', image: png }, address]],
  ])('is an error %s', (_, output) => {
    expect(() => told(output)).toThrow('names a file elsewhere, which only a part made by imagePart(…)');
  });

  test('is data if it has its own provider options', () => {
    const output = { type: 'text', value: 'a', providerOptions: { openai: { store: true } } };
    expect(told(output)).toEqual({ type: 'json', value: output });
  });

  test('may have provider options in parts that code has made', () => {
    expect(told([imagePart('https://example.com/a.png')])).toMatchObject({
      type: 'content',
      value: [{ data: { type: 'url' } }],
    });
  });
});
