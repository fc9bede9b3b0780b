// The prompt library: a test for each feature and each example.
import { createMCPClient } from '@ai-sdk/mcp';
import { runPrompt } from '@cueline/core';
import { defineEval, runEval, similarTo } from '@cueline/core/evals';
import {
  createPromptLibrary,
  createPromptSearch,
  defineTests,
  packagedPrompts,
  promptFileSchema,
  promptIds,
  sanitizeInput,
  sanitizeOutput,
  type PromptRecord,
} from '@cueline/core/library';
import { resolveModel } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lettersModel } from '../support/letter-count-embeddings.ts';

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

const records = JSON.parse(json) as readonly [PromptRecord];
const id = 'template-prompt-001';

describe('prompts as JSON', () => {
  test('the file of the README is read unchanged, with its misspelt name', async () => {
    const library = await createPromptLibrary(json);
    expect(library.get(id).userPromptParameters.map(({ name }) => name)).toEqual(['USER_REQUEST', 'CONTEXT']);
  });

  test('a file is loaded at run time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cueline-library-'));
    try {
      const file = join(folder, 'template-prompt.json');
      writeFileSync(file, json);
      const library = await createPromptLibrary(file);
      expect(library.get(id)).toMatchObject({ version: '1.0.0', name: 'Template Prompt' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('the same prompt as a TypeScript value is the same prompt', async () => {
    expect(createPromptLibrary(records).list()).toEqual((await createPromptLibrary(json)).list());
  });

  test('a prompt is read by its id, and a mistyped id names the nearest', () => {
    const library = createPromptLibrary(records);
    expect(library.get(id).name).toBe('Template Prompt');
    expect(() => library.get('template-prompt-01')).toThrow(id);
  });

  test('versions track changes, and a definition runs any of them', async () => {
    const library = createPromptLibrary([
      records[0],
      { ...records[0], version: '1.1.0', userPrompt: 'In short: {USER_REQUEST}' },
    ] as PromptRecord[]);
    const sent = async (reference: string): Promise<string> => {
      const model = scriptedModel(['Bonjour']);
      const { run } = await runPrompt(library.definePrompt(reference, { model }), {
        input: { ...system, USER_REQUEST: 'Hello' },
      });
      await run.finished;
      return JSON.stringify(model.calls[0]?.prompt);
    };
    expect(await sent(id)).toContain('In short: Hello');
    expect(await sent(`${id}@~1.0`)).toContain('Please help me with Hello');
  });
});

describe('parameters', () => {
  const library = createPromptLibrary(records);

  test('required ones must be passed, optional ones need not', () => {
    expect(() => library.expandUser(id, {})).toThrow(
      'USER_REQUEST is missing. Pass a string: The specific request or question from the user.',
    );
    expect(library.expandUser(id, { USER_REQUEST: 'a plan' })).toBe(
      'Please help me with a plan. Consider the following context: ',
    );
  });

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

  test('defaults replace missing optional ones', () => {
    expect(typed.expandUser('typed', { TEXT: 'a' })).toBe('a 3 kind');
  });

  test('there are three types: strings, numbers and enums', () => {
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

  test('both texts are expanded, the system prompt only with its own parameters', () => {
    expect(library.expandSystem(id, system)).toBe(
      "You are a helpful assistant that Teaches French. Your task is to Teach the user how to say 'Hello' in French.",
    );
    expect(library.expandUser(id, user)).toBe(
      "Please help me with How do I say 'Hello' in French?. Consider the following context: The user is a beginner to French",
    );
  });
});

describe('other programs', () => {
  test('an MCP client reads the prompts of a library, and a library reads those of an MCP server', async () => {
    const prompts = createPromptLibrary(records).toMCPPrompts();
    const server = new Server({ name: 'prompts', version: '1.0.0' }, { capabilities: { prompts: {} } });
    server.setRequestHandler(ListPromptsRequestSchema, () => prompts.listPrompts());
    server.setRequestHandler(GetPromptRequestSchema, ({ params }) => prompts.getPrompt(params));
    const [transport, other] = InMemoryTransport.createLinkedPair();
    await server.connect(other);
    const client = await createMCPClient({ transport });
    try {
      const library = await createPromptLibrary(client);
      expect(library.get(id).userPromptParameters.map(({ name }) => name)).toEqual([
        'USER_REQUEST',
        'CONTEXT',
      ]);
      const model = scriptedModel(['Bonjour']);
      const { run } = await runPrompt(library.definePrompt(id, { model }), { input: { ...system, ...user } });
      expect((await run.finished).text).toBe('Bonjour');
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('How do I say');
    } finally {
      await client.close();
    }
  });

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

  test('the tests of the parameters also exist without a model', () => {
    const tests = defineTests(createPromptLibrary(records).get(id));
    expect(tests.map(({ name }) => name)).toContain('refuses to do without USER_REQUEST');
    for (const { run } of tests) expect(run).not.toThrow();
  });
});

describe('helpers', () => {
  test('texts are sanitized before a prompt and after an answer', () => {
    expect(sanitizeInput('  Hello\u0000 <b>world</b> ')).toBe('Hello world');
    expect(sanitizeOutput('Write to ana@example.com or call (555) 123-4567')).toBe(
      'Write to [EMAIL] or call [PHONE]',
    );
  });

  test('prompts have readable names for their ids', () => {
    expect(promptIds(records)).toEqual({ templatePromptPromptId: id });
  });

  test('embeddings compare answers by meaning, and find prompts', async () => {
    const { model } = lettersModel();
    const { search } = createPromptSearch(createPromptLibrary(records), { model });
    expect((await search('abc'))[0]?.prompt.id).toBe(id);
    const prompt = createPromptLibrary(records).definePrompt(id);
    const near = defineEval({
      prompt,
      cases: [{ input: { ...system, ...user }, expect: 'aab' }],
      scorers: [similarTo({ model, threshold: 0.9 })],
    });
    expect((await runEval(near, { models: scriptedModel(['aabaab']) })).passed).toBe(true);
    expect((await runEval(near, { models: scriptedModel(['ccc']) })).passed).toBe(false);
  });

  test('models of Azure have a name like any other', async () => {
    const env = { AZURE_API_KEY: 'key', AZURE_RESOURCE_NAME: 'my-lab' };
    expect(await resolveModel('azure:my-deployment', { env })).toMatchObject({ modelId: 'my-deployment' });
    await expect(resolveModel('azure:my-deployment', { env: {} })).rejects.toThrow('AZURE_API_KEY');
  });
});
