import { createPromptLibrary, defineTests, packagedPrompts, type PromptRecord } from '@cueline/core/library';
import { describe, expect, test } from 'vitest';

const plan: PromptRecord = {
  id: 'plan',
  version: '1.0.0',
  name: 'Plan',
  systemPrompt: 'Be {TONE}.',
  systemPromptParameters: [
    { name: 'TONE', type: 'enum', allowedValues: ['kind', 'brief'], defaultValue: 'kind' },
  ],
  userPrompt: 'Plan {CITY} for {PEOPLE}, {RAIN}, at {LEVEL}: {"as": "JSON"}',
  userPromptParameters: [
    { name: 'CITY', type: 'string' },
    { name: 'PEOPLE', type: 'number', required: false },
    { name: 'RAIN', type: 'boolean', defaultValue: false },
    { name: 'LEVEL', type: 'number', allowedValues: [1, 2], defaultValue: 1 },
  ],
};
const library = createPromptLibrary([plan]);

describe('the tests of a prompt pass', () => {
  test.each(defineTests(library.get('plan')))('$name', ({ run }) => {
    expect(run).not.toThrow();
  });
});

test('they cover missing, allowed and forbidden values and other types for each parameter', () => {
  expect(
    defineTests(library.get('plan')).map(
      ({ name, refused }) => `${name}${refused === undefined ? '' : ` → ${refused}`}`,
    ),
  ).toEqual([
    'accepts the required parameters alone',
    'accepts all parameters',
    'accepts TONE: "kind"',
    'accepts TONE: "brief"',
    'refuses TONE of another type → TONE',
    'refuses TONE that is not allowed → TONE',
    'refuses to do without CITY → CITY',
    'accepts CITY: "CITY in a test"',
    'accepts CITY: "with {BRACES} and $&"',
    'refuses CITY of another type → CITY',
    'accepts PEOPLE: 42',
    'accepts PEOPLE: -1.5',
    'refuses PEOPLE of another type → PEOPLE',
    'accepts RAIN: true',
    'accepts RAIN: false',
    'refuses RAIN of another type → RAIN',
    'accepts LEVEL: 1',
    'accepts LEVEL: 2',
    'refuses LEVEL of another type → LEVEL',
    'refuses LEVEL that is not allowed → LEVEL',
    'refuses a parameter that does not exist → UNKNOWN',
  ]);
});

test('they fail for a prompt that no longer does what it declares', () => {
  const prompt = structuredClone(library.get('plan'));
  const tests = defineTests(prompt);
  const failure = (wanted: string): string => {
    try {
      tests.find(({ name }) => name === wanted)!.run();
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  };
  Object.assign(prompt.userPromptParameters[0]!, { required: false });
  expect(failure('refuses to do without CITY')).toBe('Prompt "plan" accepts what it should refuse for CITY.');
  Object.assign(prompt.userPromptParameters[3]!, { allowedValues: [1] });
  expect(failure('accepts LEVEL: 2')).toContain('LEVEL is 2. Pass one of 1');
  Object.assign(prompt, {
    userPromptParameters: prompt.userPromptParameters.slice(1),
    systemPrompt: '{CITY}',
  });
  expect(failure('accepts CITY: "CITY in a test"')).toContain('CITY is unknown');
});

test.each(createPromptLibrary(packagedPrompts).list())(
  'the packaged prompt $id passes its tests',
  (prompt) => {
    const tests = defineTests(prompt);
    expect(tests.length).toBeGreaterThan(0);
    for (const { run } of tests) expect(run).not.toThrow();
  },
);

test('defineTests refuses anything but a prompt of a library', () => {
  expect(() => defineTests(plan as never)).toThrow("defineTests takes library.get('greet')");
});
