// What holds for every prompt and every parameters, however strange.
import { CuelineError } from '@cueline/core';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sample } from '../support/sample.ts';

const names = ['A', 'B', 'CITY', 'constructor', '__proto__', 'toString'];
const text = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...names.map((name) => `{${name}}`),
        '{',
        '}',
        '{}',
        '{ "a": 1 }',
        '{{A}}',
        '$&',
        "$'",
        '{UNDECLARED}',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const parameter = fc.record(
  {
    name: fc.constantFrom(...names),
    type: fc.constantFrom('string', 'number', 'boolean', 'kString', 'kNumber'),
    required: fc.boolean(),
  },
  { requiredKeys: ['name', 'type'] },
);
const parameters = fc.uniqueArray(parameter, { selector: ({ name }) => name, maxLength: 4 });
const prompt = fc.record({
  id: fc.constant('any'),
  version: fc.constant('1.0.0'),
  name: fc.constant('Any'),
  systemPrompt: text,
  userPrompt: text.filter((value) => value !== ''),
  userPromptParameters: parameters,
});
const given = fc.oneof(
  fc.dictionary(
    fc.constantFrom(...names, 'OTHER'),
    fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
  ),
  fc.anything(),
);

test('expansion throws only CuelineErrors, and changes neither the prompt nor the parameters', () => {
  fc.assert(
    fc.property(prompt, given, (record, input) => {
      const frozen = structuredCloneOr(input);
      try {
        const library = createPromptLibrary(record as PromptRecord);
        const before = JSON.stringify(library.list());
        try {
          const expanded = library.expandUser('any', input as Record<string, unknown>);
          expect(library.expandUser('any', input as Record<string, unknown>)).toBe(expanded);
        } finally {
          expect(JSON.stringify(library.list())).toBe(before);
        }
      } catch (error) {
        if (!CuelineError.isInstance(error)) throw error;
      }
      expect(input).toEqual(frozen);
    }),
    { numRuns: sample(500) },
  );
});

function structuredCloneOr(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

test('braces without a declared parameter stay, and values are inserted unchanged', () => {
  fc.assert(
    fc.property(text, fc.string(), (template, value) => {
      const library = createPromptLibrary({
        id: 'any',
        version: '1.0.0',
        name: 'Any',
        userPrompt: `<${template}>`,
        userPromptParameters: [{ name: 'MY_VALUE', type: 'string' }],
      });
      expect(library.expandUser('any', { MY_VALUE: value })).toBe(`<${template}>`);
    }),
  );
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (before, value, after) => {
      const library = createPromptLibrary({
        id: 'any',
        version: '1.0.0',
        name: 'Any',
        userPrompt: `(${before}){MY_VALUE}(${after})`,
        userPromptParameters: [{ name: 'MY_VALUE', type: 'string' }],
      });
      expect(library.expandUser('any', { MY_VALUE: value })).toBe(`(${before})${value}(${after})`);
    }),
  );
});
