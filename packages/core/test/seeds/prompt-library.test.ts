// The prompt library: a test for each feature and each example.
import {
  createPromptLibrary,
  packagedPrompts,
  promptFileSchema,
  type PromptRecord,
} from '@cueline/core/library';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const json = `[{
  "id": "template-prompt-001",
  "version": "1.0.0",
  "name": "Template Prompt",
  "systemPrompt": "You are a helpful assistant that {ROLE_DESCRIPTION}. Your task is to {TASK_DESCRIPTION}.",
  "systemPromptParameters": [
    {
      "name": "ROLE_DESCRIPTION",
      "description": "Description of the assistant's role",
      "type": "kString",
      "required": true
    },
    {
      "name": "TASK_DESCRIPTION",
      "description": "Description of the main task or objective",
      "type": "kString",
      "required": true
    }
  ],
  "userPrompt": "Please help me with {USER_REQUEST}. Consider the following context: {CONTEXT}",
  "userPromptsParameters": [
    {
      "name": "USER_REQUEST",
      "description": "The specific request or question from the user",
      "type": "kString",
      "required": true
    },
    {
      "name": "CONTEXT",
      "description": "Additional context or background information",
      "type": "kString",
      "required": false
    }
  ]
}]`;

const records = JSON.parse(json) as readonly [PromptRecord];
const id = 'template-prompt-001';

describe('prompts as JSON', () => {
  test('the file of the README is read unchanged, with its misspelt name', async () => {
    const library = await createPromptLibrary(json);
    expect(library.get(id).userPromptParameters.map(({ name }) => name)).toEqual(['USER_REQUEST', 'CONTEXT']);
  });

  test('the same prompt as a TypeScript value is the same prompt', async () => {
    expect(createPromptLibrary(records).list()).toEqual((await createPromptLibrary(json)).list());
  });
});

describe('parameters', () => {
  const typed = createPromptLibrary({
    id: 'typed',
    version: '1.0.0',
    name: 'Typed',
    userPrompt: '{TEXT} {COUNT} {TONE}',
    userPromptParameters: [
      { name: 'TEXT', type: 'kString', required: true },
      { name: 'COUNT', type: 'kNumber', required: false, defaultValue: 3 },
      {
        name: 'TONE',
        type: 'kEnum',
        required: false,
        allowedValues: ['kind', 'brief'],
        defaultValue: 'kind',
      },
    ],
  });

  test('there are three types: strings, numbers and enums', () => {
    expect(typed.expandUser('typed', { TEXT: 'a' })).toBe('a 3 kind');
    expect(typed.expandUser('typed', { TEXT: 'a', COUNT: 5, TONE: 'brief' })).toBe('a 5 brief');
  });

  test.each([
    ['a number that is not one', { TEXT: 'a', COUNT: 'many' }, "COUNT is 'many'. Pass a number"],
    [
      'a value that is not allowed',
      { TEXT: 'a', TONE: 'loud' },
      `TONE is 'loud'. Pass one of "kind", "brief"`,
    ],
    ['an unknown name', { TEXT: 'a', TONNE: 'kind' }, 'TONNE is unknown. Write TONE'],
  ])('%s is refused', (_, parameters, message) => {
    expect(() => typed.expandUser('typed', parameters as never)).toThrow(message);
  });
});

describe('other programs', () => {
  test('the schema of a prompt file is JSON Schema, which other languages read', () => {
    const schema = promptFileSchema();
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
    expect(z.fromJSONSchema(schema as never).safeParse(records).success).toBe(true);
    expect(z.fromJSONSchema(schema as never).safeParse([{ id: 'a', version: 1 }]).success).toBe(false);
  });
});

describe('packaged prompts', () => {
  const packaged = createPromptLibrary(packagedPrompts);
  const PROMPT = json;

  test('generate-evals asks for three evals in a language and a framework', () => {
    expect(packaged.expandUser('generate-evals', { PROMPT, DOMAIN: 'motorsports' })).toContain('motorsports');
    const text = packaged.expandSystem('generate-evals', { LANGUAGE: 'Python', FRAMEWORK: 'pytest' });
    expect(text).toContain('You write evals of prompts in Python with pytest.');
    expect(text).toMatch(/1\. base.*\n2\. same.*\n3\. different/);
  });

  test('generate-tests asks for tests of the parameters', () => {
    expect(packaged.expandUser('generate-tests', { PROMPT })).toContain('"id": "template-prompt-001"');
    expect(packaged.expandSystem('generate-tests')).toContain(
      'parameters of prompts in TypeScript with Vitest',
    );
  });
});
