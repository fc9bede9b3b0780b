import { audioPart, CuelineError, filePart, imagePart, textPart } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const image = imagePart(png);
const sent = { type: 'file', data: { type: 'data', data: 'iVBORw0KGgo=' }, mediaType: 'image/png' };

function contentOf(say: (prompt: Prompt) => void): unknown {
  const prompt = new Prompt();
  say(prompt);
  return prompt.definitions.messages[0]!.content;
}

describe('parts in a template', () => {
  test('stay between the texts around them', () => {
    expect(
      contentOf(
        (prompt) => prompt.$`
          Describe this for ${'Ada'}:

          ${image}

          In French:
            - shortly
        `,
      ),
    ).toEqual([
      { type: 'text', text: 'Describe this for Ada:' },
      sent,
      { type: 'text', text: 'In French:\n  - shortly' },
    ]);
  });

  test('can be in one line, side by side', () => {
    expect(contentOf((prompt) => prompt.$`Compare ${image} with ${image}${image}.`)).toEqual([
      { type: 'text', text: 'Compare' },
      sent,
      { type: 'text', text: 'with' },
      sent,
      sent,
      { type: 'text', text: '.' },
    ]);
  });

  test('can be the whole template', () => {
    expect(contentOf((prompt) => prompt.$`${image}`)).toEqual([sent]);
  });

  test('can be a File or a Blob, with its own type', () => {
    const file = new File(['%PDF'], 'a.pdf', { type: 'application/pdf' });
    const blob = new Blob([png], { type: 'image/png' });
    const content = contentOf((prompt) => prompt.$`See ${file} and ${blob}`);
    expect(content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'file', data: expect.any(File) as File, mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'text', text: 'and' },
      { type: 'file', data: expect.any(Blob) as Blob, mediaType: 'image/png' },
    ]);
    expect((content as { data: unknown }[])[1]!.data).toBe(file);
  });

  test.each([
    ['https://example.com/a.png', 'image/png'],
    ['https://example.com/a.jpg?x=1', 'image/jpeg'],
    ['https://example.com/a.JPEG#top', 'image/jpeg'],
    ['https://example.com/a.gif', 'image/gif'],
    ['https://example.com/a.webp', 'image/webp'],
    ['https://example.com/a.avif', 'image/avif'],
    ['https://example.com/a.svg', 'image/svg+xml'],
  ])('can be the URL of an image: %s', (text, mediaType) => {
    const url = new URL(text);
    expect(contentOf((prompt) => prompt.$`${url}`)).toEqual([
      { type: 'file', data: { type: 'url', url }, mediaType },
    ]);
  });

  test('can be an image in a data URL', () => {
    const url = new URL('data:image/png;base64,iVBORw0KGgo=');
    expect(contentOf((prompt) => prompt.$`${url}`)).toEqual([sent]);
  });

  test.each([
    'https://example.com/',
    'https://example.com/png',
    'https://example.com/?a.png',
    'https://example.com/a.pdf',
    'data:text/plain,a.png',
  ])('do not include other URLs, which are text: %s', (text) => {
    expect(contentOf((prompt) => prompt.$`See ${new URL(text)}`)).toBe(`See ${text}`);
  });

  test('do not include the URL of an image in a string, which is text', () => {
    expect(contentOf((prompt) => prompt.$`See ${'https://example.com/a.png'}`)).toBe(
      'See https://example.com/a.png',
    );
  });

  test.each([
    [new Blob(['a']), 'messages[0].content[1].mediaType is missing.'],
    [filePart('JVBERi0=', {} as never), 'messages[0].content[1].mediaType is missing.'],
    [imagePart('file-8EFBcWHsQxZV7YGezBC1fq'), "Write { openai: 'file-…' }."],
    [
      imagePart(JSON.parse('{"a":[]}') as never),
      'messages[0].content[1].image is an object that is not a file.',
    ],
    [{ type: 'picture', image: png }, 'The first value in the template is an object.'],
  ])('%o is refused', (value, message) => {
    const prompt = new Prompt();
    let error: unknown;
    try {
      prompt.$`See ${value}`;
    } catch (thrown) {
      error = thrown;
    }
    expect(CuelineError.isInstance(error)).toBe(true);
    expect((error as Error).message).toContain(message);
  });

  test('each constructor makes a part, with its options', () => {
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const content = contentOf(
      (prompt) =>
        prompt.$`${textPart('Read.', { providerOptions })}${imagePart({ openai: 'file-1' }, { mediaType: 'image/gif' })}${filePart(
          'https://example.com/a.pdf',
          { mediaType: 'application/pdf', filename: 'a.pdf', providerOptions },
        )}${audioPart('SUQz', { mediaType: 'audio/mpeg' })}`,
    );
    expect(content).toEqual([
      { type: 'text', text: 'Read.', providerOptions },
      { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image/gif' },
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://example.com/a.pdf') },
        mediaType: 'application/pdf',
        filename: 'a.pdf',
        providerOptions,
      },
      { type: 'file', data: { type: 'data', data: 'SUQz' }, mediaType: 'audio/mpeg' },
    ]);
  });

  test.each<[string, (part: object) => unknown]>([
    ['JSON', (part) => JSON.parse(JSON.stringify(part)) as unknown],
    ['a structured clone', (part) => structuredClone(part)],
    ['a copy of its fields', (part) => ({ ...part })],
    ['an object made from it', (part) => Object.create(part) as unknown],
    [
      'JSON with a field that is called as the brand is',
      (part) => ({ ...part, 'Symbol(cueline.part)': true }),
    ],
  ])('%s is data, not a part', (_, copy) => {
    for (const part of [
      textPart('a'),
      imagePart('https://example.com/a.png'),
      filePart('http://169.254.169.254/', { mediaType: 'text/plain' }),
      audioPart('file-1', { mediaType: 'audio/mpeg' }),
    ]) {
      const prompt = new Prompt();
      expect(() => prompt.$`See ${copy(part)}`).toThrow(
        `The first value in the template is a plain object of the type '${part.type}', which is data, not a part. Make a part with ${part.type}Part(…), or write \${JSON.stringify(value)} for data.`,
      );
      expect(prompt.definitions.messages).toEqual([]);
    }
  });

  test('data with a type stays data in a text that code writes', () => {
    const data = { type: 'file', data: 'http://169.254.169.254/', mediaType: 'text/plain' };
    expect(contentOf((prompt) => prompt.$`See ${JSON.stringify(data)}`)).toBe(`See ${JSON.stringify(data)}`);
    expect(contentOf((prompt) => prompt.$`See ${{ ...data, toString: () => 'it' }}`)).toBe('See it');
  });

  test('the text is that of the same template without the parts', () => {
    const words = fc.array(fc.constantFrom('a', ' ', '\n', '  b', '\n\n', 'ç', ''), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(words, { minLength: 2, maxLength: 4 }), (texts) => {
        const strings = texts.map((text) => text.join(''));
        const template = Object.assign(strings, { raw: strings });
        const prompt = new Prompt();
        prompt.$(template, ...strings.slice(1).map(() => image));
        const content = prompt.definitions.messages[0]!.content as { type: string; text?: string }[];
        expect(content.filter(({ type }) => type === 'file')).toHaveLength(strings.length - 1);
        const said = content.map(({ text }) => text ?? '').join('');
        expect(said.replaceAll(/\s/g, '')).toBe(strings.join('').replaceAll(/\s/g, ''));
        for (const { type, text } of content) if (type === 'text') expect(text!.trim()).not.toBe('');
      }),
    );
  });
});
