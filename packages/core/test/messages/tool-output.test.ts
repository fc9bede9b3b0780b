import { filePart, imagePart, textPart } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toModelOutput } from '../../src/messages/tool-output.ts';

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const pngPart = { type: 'file', data: { type: 'data', data: 'iVBORw0KGgo=' }, mediaType: 'image/png' };

describe('the output of a tool as it is sent to the model', () => {
  test.each([
    ['sunny', { type: 'text', value: 'sunny' }],
    ['', { type: 'text', value: '' }],
    [undefined, { type: 'json', value: null }],
    [null, { type: 'json', value: null }],
    [0, { type: 'json', value: 0 }],
    [false, { type: 'json', value: false }],
    [{}, { type: 'json', value: {} }],
    [[], { type: 'json', value: [] }],
    [new Date(0), { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
    [{ big: 2n ** 64n }, { type: 'json', value: { big: '18446744073709551616' } }],
    [
      { name: 'a', bytes: png },
      { type: 'json', value: { name: 'a', bytes: '[8 bytes]' } },
    ],
    [Buffer.from(png), { type: 'json', value: '[8 bytes]' }],
    [[png.buffer], { type: 'json', value: ['[8 bytes]'] }],
  ])('%o', (output, sent) => {
    expect(toModelOutput(output)).toEqual(sent);
  });

  test.each<[string, unknown[], unknown[]]>([
    ['text', [{ type: 'text', text: 'a' }], [{ type: 'text', text: 'a' }]],
    ['an image', [{ type: 'image', data: Buffer.from(png), mediaType: 'image/png' }], [pngPart]],
    ['an image as messages spell it', [{ type: 'image', image: png }], [pngPart]],
    [
      'text by its bytes',
      [{ type: 'text', data: Buffer.from('é'), mediaType: 'text/plain' }],
      [{ type: 'text', text: 'é' }],
    ],
    [
      'text by its bytes, as the log keeps it',
      [{ type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
      [pngPart],
    ],
    [
      'a file at a URL, which code has made a part',
      [filePart('https://example.com/a', { mediaType: 'application/pdf', filename: 'a.pdf' })],
      [
        {
          type: 'file',
          data: { type: 'url', url: new URL('https://example.com/a') },
          mediaType: 'application/pdf',
          filename: 'a.pdf',
        },
      ],
    ],
    [
      'parts that code has made, with their provider options',
      [textPart('a', { providerOptions: { a: { b: 1 } } }), imagePart({ openai: 'file-1' })],
      [
        { type: 'text', text: 'a', providerOptions: { a: { b: 1 } } },
        { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image/*' },
      ],
    ],
    [
      'a recording as it is, without the provider options that it brings',
      [{ type: 'audio', data: 'SUQz', mediaType: 'audio/mpeg', providerOptions: { a: { b: 1 } } }],
      [{ type: 'file', data: { type: 'data', data: 'SUQz' }, mediaType: 'audio/mpeg' }],
    ],
    [
      'several, without the empty text that models refuse',
      [
        { type: 'text', text: '' },
        { type: 'image', image: png },
        { type: 'text', text: 'a' },
      ],
      [pngPart, { type: 'text', text: 'a' }],
    ],
  ])('parts: %s', (_name, output, value) => {
    expect(toModelOutput(output)).toEqual({ type: 'content', value });
  });

  test.each<[string, unknown]>([
    ['a text part with more fields', [{ type: 'text', text: 'a', id: 1 }]],
    ['a field that is called text', [{ type: 'text', label: 'Name' }]],
    ['a text part without a string', [{ type: 'text', text: 5 }]],
    ['only empty texts', [{ type: 'text', text: '' }]],
    [
      'an empty text part with more fields',
      [
        { type: 'text', text: '', id: 1 },
        { type: 'text', text: 'a' },
      ],
    ],
    ['one row that is not a part', [{ type: 'text', text: 'a' }, { type: 'row' }]],
    ['a word that happens to be base64', [{ type: 'image', image: 'cats' }]],
    ['a path', [{ type: 'image', image: './a.png', mediaType: 'image/png' }]],
    ['an address', [{ type: 'file', data: 'http://169.254.169.254/', mediaType: 'text/plain' }]],
    ['an address of an image', [{ type: 'image', image: 'https://example.com/a.png' }]],
    [
      'an address in the AI SDK’s form',
      [{ type: 'file', data: { type: 'url', url: 'https://example.com/a' }, mediaType: 'text/plain' }],
    ],
    [
      'an address two forms deep',
      [{ type: 'audio', data: { type: 'data', data: 'https://a.example/' }, mediaType: 'audio/mpeg' }],
    ],
    ['a file id', [{ type: 'image', image: 'file-8EFBcWHsQxZV7YGezBC1fq' }]],
    ['file ids', [{ type: 'file', data: { openai: 'file-1' }, mediaType: 'text/plain' }]],
    [
      'a reference',
      [{ type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'text/plain' }],
    ],
    [
      'an address beside a text',
      [
        { type: 'text', text: 'a' },
        { type: 'image', image: 'https://a.example/b.png' },
      ],
    ],
    ['a file without a media type', [{ type: 'file', data: 'SUQz' }]],
    ['a part that is not in a list', { type: 'text', text: 'a' }],
    ['a text beside a part', [{ type: 'text', text: 'a' }, 'b']],
    ['the AI SDK’s own form', { type: 'error-text', value: 'a' }],
  ])('data that only looks like parts: %s', (_name, output) => {
    expect(toModelOutput(output)).toEqual({ type: 'json', value: output });
  });

  test('JSON is sent as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no -0
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        const sent = toModelOutput(plain);
        expect(sent).toEqual({ type: typeof plain === 'string' ? 'text' : 'json', value: plain });
      }),
    );
  });
});
