// The prompt library: the JSON example and its use, as they are promised.
import { runPrompt } from '@cueline/core';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

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

const system = {
  ROLE_DESCRIPTION: 'Teaches French',
  TASK_DESCRIPTION: "Teach the user how to say 'Hello' in French",
};
const user = { USER_REQUEST: "How do I say 'Hello' in French?", CONTEXT: 'The user is a beginner to French' };

test('a JSON file is loaded at run time, a prompt is read by its id, and both texts are expanded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-seed-'));
  try {
    const file = join(folder, 'template-prompt.json');
    writeFileSync(file, json);
    const library = await createPromptLibrary(file);
    const prompt = library.get('template-prompt-001');
    expect(prompt).toMatchObject({ version: '1.0.0', name: 'Template Prompt' });
    expect(library.expandSystem(prompt, system)).toBe(
      "You are a helpful assistant that Teaches French. Your task is to Teach the user how to say 'Hello' in French.",
    );
    expect(library.expandUser(prompt, user)).toBe(
      "Please help me with How do I say 'Hello' in French?. Consider the following context: The user is a beginner to French",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the same prompt as a TypeScript value is the same prompt', async () => {
  const value = JSON.parse(json) as PromptRecord[];
  const [fromValue, fromJson] = [createPromptLibrary(value), await createPromptLibrary(json)];
  expect(fromValue.list()).toEqual(fromJson.list());
});

test('required parameters are validated, and optional ones have defaults', () => {
  const library = createPromptLibrary(JSON.parse(json) as PromptRecord[]);
  expect(() => library.expandUser('template-prompt-001', {})).toThrow(
    'USER_REQUEST is missing. Pass a text: The specific request or question from the user.',
  );
  expect(library.expandUser('template-prompt-001', { USER_REQUEST: 'a plan' })).toBe(
    'Please help me with a plan. Consider the following context: ',
  );
});

test('versions track changes, and a definition runs any of them', async () => {
  const [first] = JSON.parse(json) as [PromptRecord];
  const library = createPromptLibrary([
    first,
    { ...first, version: '1.1.0', userPrompt: 'In short: {USER_REQUEST}' },
  ] as PromptRecord[]);
  const sent = async (reference: string): Promise<string> => {
    const model = scriptedModel(['Bonjour']);
    const { run } = await runPrompt(library.definePrompt(reference, { model }), {
      input: { ...system, USER_REQUEST: 'Hello' },
    });
    await run.finished;
    return JSON.stringify(model.calls[0]?.prompt);
  };
  expect(await sent('template-prompt-001')).toContain('In short: Hello');
  expect(await sent('template-prompt-001@~1.0')).toContain('Please help me with Hello');
});
