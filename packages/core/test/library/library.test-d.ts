import type { PromptWithSchema } from '@cueline/core';
import { createPromptLibrary, type PromptLibrary, type PromptRecord } from '@cueline/core/library';
import { describe, expectTypeOf, test } from 'vitest';

const greet = {
  id: 'greet',
  version: '1.0.0',
  name: 'Greet',
  systemPrompt: '{TONE}',
  systemPromptParameters: [
    { name: 'TONE', type: 'enum', allowedValues: ['formal', 'casual'], required: false },
  ],
  userPrompt: '{NAME} {TIMES} {LOUD}',
  userPromptParameters: [
    { name: 'NAME', type: 'kString', required: true },
    { name: 'TIMES', type: 'number', defaultValue: 1 },
    { name: 'LOUD', type: 'boolean' },
  ],
} as const satisfies PromptRecord;
const other = {
  id: 'other',
  version: '1.0.0',
  name: 'Other',
  userPrompt: 'Hi',
} as const satisfies PromptRecord;
const library = createPromptLibrary([greet, other]);

type InputOf<Definition> = Definition extends PromptWithSchema<infer Input> ? Input : never;

describe('a library of values', () => {
  test('knows the parameters of each prompt', () => {
    const definition = library.definePrompt('greet');
    expectTypeOf<InputOf<typeof definition>>().toEqualTypeOf<{
      NAME: string;
      LOUD: boolean;
      TONE?: 'formal' | 'casual' | undefined;
      TIMES?: number | undefined;
    }>();
    const ranged = library.definePrompt('greet@^1');
    expectTypeOf<InputOf<typeof ranged>>().toEqualTypeOf<InputOf<typeof definition>>();
  });

  test('knows the ids', () => {
    // @ts-expect-error there is no such prompt
    library.definePrompt('gret');
    // @ts-expect-error there is no such prompt
    library.get('gret');
    expectTypeOf(library.get('other').version).toEqualTypeOf<string>();
  });
});

test('imported JSON makes a library at once, and a loaded file makes a promise of one', () => {
  const json = [
    {
      id: 'a',
      version: '1.0.0',
      name: 'A',
      userPrompt: '{X}',
      userPromptParameters: [{ name: 'X', type: 'string' }],
    },
  ];
  expectTypeOf(createPromptLibrary(json)).toEqualTypeOf<PromptLibrary>();
  expectTypeOf(createPromptLibrary({ prompts: json })).toEqualTypeOf<PromptLibrary>();
  expectTypeOf(createPromptLibrary('prompts.json')).toEqualTypeOf<Promise<PromptLibrary>>();
  const loaded = (): Promise<PromptLibrary> =>
    createPromptLibrary([new URL('https://example.com/prompts.json')]);
  void loaded;
});
