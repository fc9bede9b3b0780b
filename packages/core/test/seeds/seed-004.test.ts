// The prompt library, evals and tool calling: a test for each feature and each example.
import { createMCPClient } from '@ai-sdk/mcp';
import { runPrompt, tool } from '@cueline/core';
import { caseFromRun, defineEval, runEval, similarTo, triad } from '@cueline/core/evals';
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
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lettersModel } from '../support/letter-count-embeddings.ts';
import { call } from '../support.ts';
import { outputs, play } from './run-scripted.ts';

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

describe('evals', () => {
  const mood = createPromptLibrary({
    id: 'mood',
    version: '1.0.0',
    name: 'Mood',
    userPrompt: 'Given some text, classify it as POSITIVE or NEGATIVE: {TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string' }],
  }).definePrompt('mood');
  const evaluation = defineEval({
    prompt: mood,
    cases: triad({
      base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
      same: { TEXT: 'I am joyful' },
      different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
    }),
  });

  test('the triad: a base case, another input with the same answer, one with a different answer', () => {
    expect(evaluation.cases.map((one) => [one.id, one.input, one.expect])).toEqual([
      ['base', { TEXT: 'I am happy' }, 'POSITIVE'],
      ['same', { TEXT: 'I am joyful' }, 'POSITIVE'],
      ['different', { TEXT: 'I am sad' }, 'NEGATIVE'],
    ]);
  });

  test('evals run like unit tests, and each failure is named', async () => {
    const right = await runEval(evaluation, {
      models: scriptedModel(['POSITIVE', 'POSITIVE', 'NEGATIVE']),
      concurrency: 1,
    });
    expect(right.passed).toBe(true);
    const wrong = await runEval(evaluation, {
      models: scriptedModel(['POSITIVE', 'NEGATIVE', 'NEGATIVE']),
      concurrency: 1,
    });
    expect(wrong.passed).toBe(false);
    expect(wrong.results.filter(({ status }) => status === 'failed').map(({ caseId }) => caseId)).toEqual([
      'same',
    ]);
  });

  test('evals run again when the model changes, separately for each model', async () => {
    const models = {
      old: scriptedModel(['POSITIVE', 'POSITIVE', 'NEGATIVE']),
      new: scriptedModel(['POSITIVE', 'POSITIVE', 'POSITIVE']),
    };
    const providers = { models: (name: string) => models[name as keyof typeof models] };
    const { groups } = await runEval(evaluation, {
      models: ['models:old', 'models:new'],
      providers,
      concurrency: 1,
    });
    expect(groups.map(({ model, passed }) => [model, passed])).toEqual([
      ['models:old', 3],
      ['models:new', 2],
    ]);
  });

  test('a recorded run becomes a case', async () => {
    const { run } = await runPrompt(mood, { input: { TEXT: 'Hooray' }, model: scriptedModel(['POSITIVE']) });
    await run.finished;
    expect(caseFromRun(run.log())).toMatchObject({ input: { TEXT: 'Hooray' }, expect: 'POSITIVE' });
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

describe('tool calling', () => {
  const begun: string[] = [];
  const getWeather = tool(
    'get_weather',
    'Get current weather for a city',
    z.object({ city: z.string().min(1) }),
    async ({ city }) => {
      begun.push(city);
      await new Promise((resolve) => setTimeout(resolve, 20));
      begun.push(`${city} ended`);
      return { temperature: 22, condition: 'sunny' };
    },
    { outputSchema: z.object({ temperature: z.number(), condition: z.string() }) },
  );
  const getHoroscope = tool(
    'get_horoscope',
    "Get today's horoscope for an astrological sign",
    z.object({ sign: z.string().min(1) }),
    ({ sign }) => ({ horoscope: `${sign} - Next Tuesday you will befriend a baby otter.` }),
    { outputSchema: z.object({ horoscope: z.string() }) },
  );
  const ask = (
    question: string,
    turns: readonly ScriptedTurn[],
    options: { forceTools?: boolean } = {},
  ): ReturnType<typeof play> =>
    play(
      (prompt) => {
        prompt.defSystem('You are a helpful assistant with tools.');
        prompt.defTools([getWeather, getHoroscope]);
        prompt.$`${question}`;
      },
      turns,
      { options },
    );

  test('several tools in one answer run, and their results go back to the model', async () => {
    const { sent, state } = await ask('I am an Aquarius planning a trip to London.', [
      [call('get_weather', { city: 'London' }), call('get_horoscope', { sign: 'Aquarius' })],
      'Sunny, and an otter.',
    ]);
    expect(sent[1]!.messages).toEqual(
      expect.arrayContaining([
        expect.stringContaining('get_weather answers {"temperature":22,"condition":"sunny"}'),
        expect.stringContaining('Aquarius - Next Tuesday'),
      ]),
    );
    expect(state.text).toBe('Sunny, and an otter.');
  });

  test('calls of one answer run at the same time, and their events stream in before the text', async () => {
    begun.length = 0;
    const { events, state } = await ask("What's the weather in London, Paris, and Tokyo?", [
      ['London', 'Paris', 'Tokyo'].map((city) => call('get_weather', { city })),
      [{ text: 'Sunny everywhere.', chunkSize: 4 }],
    ]);
    expect(begun.slice(0, 3)).toEqual(['London', 'Paris', 'Tokyo']);
    expect(outputs(events)).toHaveLength(3);
    const types = events.map(({ type }) => type);
    expect(types.lastIndexOf('tool-end')).toBeLessThan(types.indexOf('text-delta'));
    expect(types.filter((type) => type === 'text-delta').length).toBeGreaterThan(2);
    expect(state.text).toBe('Sunny everywhere.');
  });

  test('forceTools requires a tool in the first step only', async () => {
    const { model } = await ask(
      'Tell me about the weather somewhere.',
      [[call('get_weather', { city: 'Oslo' })], 'Sunny in Oslo.'],
      { forceTools: true },
    );
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto']);
  });

  test('arguments that do not fit, and results that do not fit the outputSchema, are errors that the model reads', async () => {
    const broken = tool(
      'broken',
      'Returns something else',
      z.object({}),
      () => ({ temperature: 'hot' }) as never,
      {
        outputSchema: z.object({ temperature: z.number() }),
      },
    );
    const { sent } = await play(
      (prompt) => {
        prompt.defTools([getWeather, broken]);
        prompt.$`Go.`;
      },
      [[call('get_weather', { city: '' }), call('broken', {})], 'Neither worked.'],
    );
    const answers = sent[1]!.messages.join('\n');
    expect(answers).toContain('city');
    expect(answers).toContain('does not fit its outputSchema');
  });

  test('a model that repeats a call reads a warning, and a loop ends the run', async () => {
    begun.length = 0;
    const again = [call('get_weather', { city: 'London' })];
    const { state } = await ask(
      'Weather?',
      Array.from({ length: 30 }, () => again),
    );
    expect(state.error).toMatchObject({ code: 'loop_detected' });
    expect(begun.filter((city) => city === 'London').length).toBeLessThan(4);
  });
});
