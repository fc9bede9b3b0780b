// Faulty prompt files: each fault has the path of the value and says what to write instead.
import type { CuelineError } from '@cueline/core';
import { createPromptLibrary, type LibraryIssue } from '@cueline/core/library';
import { describe, expect, test } from 'vitest';
import { throwing } from '../support.ts';
import { thrown } from '../support/thrown.ts';

const valid = { id: 'greet', version: '1.0.0', name: 'Greet', userPrompt: 'Greet {NAME}.' };
const name = { name: 'NAME', type: 'string' };
const prompt = (changes: object): unknown => [{ ...valid, ...changes }];
const parameter = (changes: object): unknown => prompt({ userPromptParameters: [{ ...name, ...changes }] });

/** Returns the faults of a value as lines. */
function faultsOf(value: unknown): string[] {
  try {
    createPromptLibrary(value as []);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_library' });
    const { details, message } = error as CuelineError;
    const faults = details?.['issues'] as LibraryIssue[];
    expect(message, 'the first fault is in the message').toContain(
      `${faults[0]!.path} ${faults[0]!.message}`,
    );
    return faults.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

const at = 'prompts[0]';
const first = `${at}.userPromptParameters[0]`;

describe('a faulty prompt file is reported', () => {
  const cases: [name: string, value: unknown, fault: string][] = [
    [
      'nothing',
      undefined,
      'prompts is undefined. Write a list of prompts: [{ "id": "greet", "version": "1.0.0", … }]',
    ],
    ['a number', 7, 'prompts is 7. Write a list of prompts: [{ "id": "greet", "version": "1.0.0", … }]'],
    [
      'prompts that are no list',
      { prompts: {} },
      'prompts.prompts is an object. Write a list of prompts: [{ "id": "greet", "version": "1.0.0", … }]',
    ],
    [
      'another member beside prompts',
      { prompts: [], version: 1 },
      'prompts.version is unknown. Beside "prompts" there can only be "$schema"',
    ],
    [
      'too many prompts',
      Array.from({ length: 10_001 }, () => valid),
      'prompts has 10001 prompts, but at most 10000 are read. Split the file',
    ],
    [
      'a number in the list',
      [7],
      `${at} is not a prompt: an object with "id", "version", "name" and "userPrompt"`,
    ],
    [
      'null in the list',
      [null],
      `${at} is not a prompt: an object with "id", "version", "name" and "userPrompt"`,
    ],
    [
      'no id',
      prompt({ id: undefined }),
      `${at}.id is missing. Write an id without spaces and "@", such as "plan-day"`,
    ],
    [
      'an id with a space',
      prompt({ id: 'plan day' }),
      `${at}.id is not an id without spaces and "@", such as "plan-day"`,
    ],
    [
      'an id with a version',
      prompt({ id: 'greet@1' }),
      `${at}.id is not an id without spaces and "@", such as "plan-day"`,
    ],
    ['a number as id', prompt({ id: 1 }), `${at}.id is not an id without spaces and "@", such as "plan-day"`],
    ['a long id', prompt({ id: 'x'.repeat(201) }), `${at}.id is longer than 200 characters. Shorten it`],
    [
      'no version',
      prompt({ version: undefined }),
      `${at}.version is missing. Write a version such as "1.0.0"`,
    ],
    ['half a version', prompt({ version: '1.0' }), `${at}.version is not a version such as "1.0.0"`],
    ['a range as version', prompt({ version: '^1.0.0' }), `${at}.version is not a version such as "1.0.0"`],
    ['a number as version', prompt({ version: 1 }), `${at}.version is not a version such as "1.0.0"`],
    [
      'an empty part of a prerelease',
      prompt({ version: '1.0.0-a..b' }),
      `${at}.version is not a version such as "1.0.0"`,
    ],
    [
      'a version with leading zeros',
      prompt({ version: '01.0.0' }),
      `${at}.version is not a version such as "1.0.0"`,
    ],
    [
      'no name',
      prompt({ name: undefined }),
      `${at}.name is missing. Write a name for people, such as "Plan a day"`,
    ],
    [
      'an unknown status',
      prompt({ status: 'live' }),
      `${at}.status is not "draft", "active" or "deprecated"`,
    ],
    ['a list as description', prompt({ description: [] }), `${at}.description is not a string`],
    ['a number as system prompt', prompt({ systemPrompt: 5 }), `${at}.systemPrompt is not a string`],
    [
      'no user prompt',
      prompt({ userPrompt: undefined }),
      `${at}.userPrompt is missing. Write the text of the user message`,
    ],
    [
      'an empty user prompt',
      prompt({ userPrompt: '' }),
      `${at}.userPrompt is empty. Write the text of the user message`,
    ],
    [
      'a text that is too long',
      prompt({ userPrompt: 'x'.repeat(1_000_001) }),
      `${at}.userPrompt is longer than 1000000 characters. Split the prompt`,
    ],
    [
      'a misspelt member',
      prompt({ userPromt: 'Hi' }),
      `${at}.userPromt is unknown. Did you mean "userPrompt"`,
    ],
    [
      'an unknown member',
      prompt({ temperature: 1 }),
      `${at}.temperature is unknown. Remove it, or move it into "metadata"`,
    ],
    ['a text as metadata', prompt({ metadata: 'x' }), `${at}.metadata is not an object`],
    [
      'parameters by name',
      prompt({ userPromptParameters: { NAME: 'string' } }),
      `${at}.userPromptParameters is not a list of parameters: [{ "name": "CITY", "type": "string" }]`,
    ],
    [
      'both spellings',
      prompt({ userPromptParameters: [name], userPromptsParameters: [name] }),
      `${at}.userPromptsParameters is the older spelling of userPromptParameters. Write one of them`,
    ],
    [
      'too many parameters',
      prompt({
        userPromptParameters: Array.from({ length: 201 }, (_, n) => ({ name: `P${n}`, type: 'string' })),
      }),
      `${at}.userPromptParameters has more than 200 parameters. Split the prompt`,
    ],
    [
      'a text as parameter',
      prompt({ userPromptParameters: ['NAME'] }),
      `${first} is not an object with "name" and "type"`,
    ],
    [
      'no name of a parameter',
      parameter({ name: undefined }),
      `${first}.name is missing. Write a name of letters, digits, "_" and "-", such as "CITY"`,
    ],
    [
      'braces around a name',
      parameter({ name: '{NAME}' }),
      `${first}.name is not a name of letters, digits, "_" and "-", such as "CITY"`,
    ],
    [
      'no type',
      parameter({ type: undefined }),
      `${first}.type is missing. Write "string", "number", "boolean" or "enum"`,
    ],
    [
      'an unknown type',
      parameter({ type: 'integer' }),
      `${first}.type is not "string", "number", "boolean" or "enum"`,
    ],
    ['required as text', parameter({ required: 'yes' }), `${first}.required is not true or false`],
    [
      'a misspelt member of a parameter',
      parameter({ default_value: 'Ada' }),
      `${first}.default_value is unknown. Did you mean "defaultValue"`,
    ],
    [
      'an unknown member of a parameter',
      parameter({ minLength: 3 }),
      `${first}.minLength is unknown. Remove it`,
    ],
    [
      'an enum without values',
      parameter({ type: 'enum' }),
      `${first}.allowedValues is missing. An enum lists its values: ["formal", "casual"]`,
    ],
    [
      'an empty list of values',
      parameter({ allowedValues: [] }),
      `${first}.allowedValues is empty. List the values that can be passed, or leave it out`,
    ],
    [
      'values as one text',
      parameter({ allowedValues: 'a|b' }),
      `${first}.allowedValues is not a list of values, such as ["formal", "casual"]`,
    ],
    [
      'a boolean among the values',
      parameter({ type: 'kEnum', allowedValues: ['a', true] }),
      `${first}.allowedValues[1] is not a string or a number`,
    ],
    [
      'a value twice',
      parameter({ allowedValues: ['a', 'b', 'a'] }),
      `${first}.allowedValues[2] repeats 'a'. List each value once`,
    ],
    [
      'a text among numbers',
      parameter({ type: 'kNumber', allowedValues: [1, 'two'] }),
      `${first}.allowedValues[1] is 'two'. Write a number, as the type says`,
    ],
    [
      'values of a boolean',
      parameter({ type: 'kBoolean', allowedValues: [0, 1] }),
      `${first}.allowedValues does not belong to a boolean. Remove it`,
    ],
    [
      'a default of another type',
      parameter({ type: 'number', defaultValue: '1' }),
      `${first}.defaultValue is '1'. Write a number`,
    ],
    [
      'a default that is not allowed',
      parameter({ allowedValues: ['a', 'b'], defaultValue: 'c' }),
      `${first}.defaultValue is 'c'. Write one of "a", "b"`,
    ],
    [
      'a default of a required parameter',
      parameter({ required: true, defaultValue: 'Ada' }),
      `${first}.defaultValue belongs to an optional parameter, and "required" is true. Remove one of the two`,
    ],
    [
      'a default that is an object',
      parameter({ defaultValue: {} }),
      `${first}.defaultValue is not a string, a number, true or false`,
    ],
    [
      'a parameter twice',
      prompt({ userPromptParameters: [name, name] }),
      `${at}.userPromptParameters[1].name is 'NAME', which is already declared. Declare each parameter once`,
    ],
    [
      'a name that differs from the text',
      parameter({ name: 'NAMES' }),
      `${first}.name is 'NAMES', but userPrompt has {NAME}. Write the same name in both`,
    ],
    [
      'two declarations of one parameter',
      prompt({
        systemPrompt: '{NAME}',
        systemPromptParameters: [{ ...name, type: 'number' }],
        userPromptParameters: [name],
      }),
      `${first} declares NAME differently from systemPromptParameters. Use one declaration for both, or two names`,
    ],
    [
      'a version twice',
      [valid, valid],
      'prompts has greet@1.0.0, which prompts also has. Give one of them another version',
    ],
  ];

  test.each(cases)('%s', (_, value, fault) => {
    expect(faultsOf(value)).toEqual([fault]);
  });
});

test('all faults of a file are reported together, the first five in the message', () => {
  const value = Array.from({ length: 150 }, (_, index) => ({ ...valid, id: `p${index}`, version: 'x' }));
  const faults = faultsOf(value);
  expect(faults).toHaveLength(100);
  expect(() => createPromptLibrary(value)).toThrow(/prompts\[4\]\.version .* And 145 more\.$/);
});

test('the paths begin with the name of the file', async () => {
  await expect(createPromptLibrary('[{}]')).rejects.toMatchObject({
    details: { issues: expect.arrayContaining([{ path: 'sources[0][0].id', message: expect.any(String) }]) },
  });
});

test.each(thrown)('%s that `fetch` throws is the reason in the error', async (_what, make, text) => {
  const reading = createPromptLibrary('https://example.com/prompts.json', {
    fetch: throwing(make()),
  });
  await expect(reading).rejects.toMatchObject({
    code: 'invalid_library',
    message: `https://example.com/prompts.json cannot be read (${text}). Check the address.`,
  });
});
