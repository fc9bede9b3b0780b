// Prompts to and from an MCP server: MCP's own SDK serves them, and both clients read them.
import { createMCPClient } from '@ai-sdk/mcp';
import { runPrompt } from '@cueline/core';
import {
  createPromptLibrary,
  type MCPPromptClient,
  type MCPPrompts,
  type PromptLibrary,
} from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';

const travel = createPromptLibrary([
  {
    id: 'plan-day',
    version: '1.1.0',
    name: 'Plan a day',
    description: 'A plan for one day in a city.',
    systemPrompt: 'You are a guide.',
    userPrompt: 'Plan a day in {CITY} for {PEOPLE}.',
    userPromptParameters: [
      { name: 'CITY', type: 'string', description: 'The city.' },
      { name: 'PEOPLE', type: 'number', defaultValue: 2 },
    ],
  },
  { id: 'plan-day', version: '1.0.0', name: 'Plan a day', userPrompt: 'Plan.' },
  { id: 'draft', version: '1.0.0', name: 'Draft', userPrompt: 'Not ready.', status: 'draft' },
]);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An MCP server whose handlers are a library's. */
function serverOf(prompts: MCPPrompts): Server {
  const server = new Server({ name: 'prompts', version: '1.0.0' }, { capabilities: { prompts: {} } });
  server.setRequestHandler(ListPromptsRequestSchema, () => prompts.listPrompts());
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => prompts.getPrompt(params));
  return server;
}

type Connectable = Pick<Server, 'connect' | 'close'>;
const clients: [name: string, connect: (server: Connectable) => Promise<MCPPromptClient & object>][] = [
  [
    "MCP's own SDK",
    async (server) => {
      const [own, other] = InMemoryTransport.createLinkedPair();
      await server.connect(other);
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(own);
      closing.push(() => client.close());
      return client;
    },
  ],
  [
    'the AI SDK',
    async (server) => {
      const [own, other] = InMemoryTransport.createLinkedPair();
      await server.connect(other);
      const client = await createMCPClient({ transport: own });
      closing.push(() => client.close());
      return client;
    },
  ],
];

test('a library serves its newest active prompts in the shape of MCP', () => {
  const { prompts } = travel.toMCPPrompts().listPrompts();
  expect(prompts).toMatchObject([
    {
      name: 'plan-day',
      title: 'Plan a day',
      description: 'A plan for one day in a city.',
      arguments: [
        { name: 'CITY', description: 'The city.', required: true },
        { name: 'PEOPLE', required: false },
      ],
    },
  ]);
  expect(
    travel.toMCPPrompts().getPrompt({ name: 'plan-day', arguments: { CITY: 'Oslo', PEOPLE: '4' } }),
  ).toEqual({
    description: 'A plan for one day in a city.',
    messages: [
      { role: 'user', content: { type: 'text', text: 'You are a guide.' } },
      { role: 'user', content: { type: 'text', text: 'Plan a day in Oslo for 4.' } },
    ],
  });
  expect(() => travel.toMCPPrompts().getPrompt({ name: 'plan-day', arguments: {} })).toThrow(
    'CITY is missing',
  );
});

test('a library serves the versions that it lists', async () => {
  const record = (id: string, version: string, status: 'active' | 'deprecated' = 'active') => ({
    id,
    version,
    status,
    name: id,
    userPrompt: `${id} ${version}`,
  });
  const { listPrompts, getPrompt } = createPromptLibrary([
    record('stable', '1.0.0'),
    record('stable', '2.0.0-beta.1'),
    record('old', '1.0.0', 'deprecated'),
    record('old', '2.0.0-beta.1'),
    record('next', '1.0.0-beta.1'),
  ]).toMCPPrompts();
  const { prompts } = listPrompts();
  expect(prompts).toMatchObject([{ name: 'stable', _meta: { 'cueline/prompt': { version: '1.0.0' } } }]);
  expect(getPrompt({ name: 'stable' }).messages).toMatchObject([{ content: { text: 'stable 1.0.0' } }]);
  for (const name of ['old', 'next', 'none'])
    expect(() => getPrompt({ name })).toThrow(expect.objectContaining({ code: 'unknown_prompt' }));
});

test('a library neither lists nor serves a prompt whose texts are on another server', async () => {
  const client: MCPPromptClient = {
    listPrompts: () => Promise.resolve({ prompts: [{ name: 'review' }] }),
    getPrompt: () => Promise.resolve({}),
  };
  const { listPrompts, getPrompt } = (await createPromptLibrary(client)).toMCPPrompts();
  expect(listPrompts()).toEqual({ prompts: [] });
  expect(() => getPrompt({ name: 'review' })).toThrow('Only its MCP server can expand prompt "review".');
});

describe.each(clients)('with the client of %s', (_, connect) => {
  test('a library comes back unchanged', async () => {
    const client = await connect(serverOf(travel.toMCPPrompts()));
    const copy = await createPromptLibrary(client);
    expect(copy.list()).toEqual([travel.get('plan-day')]);
    expect(copy.expandUser('plan-day', { CITY: 'Oslo' })).toBe('Plan a day in Oslo for 2.');
    const messages = await client.getPrompt({ name: 'plan-day', arguments: { CITY: 'Oslo' } });
    expect(JSON.stringify(messages)).toContain('Plan a day in Oslo for 2.');
  });

  test('a prompt of another server runs with the messages that the server returns', async () => {
    const server = new McpServer({ name: 'other', version: '3.0.0' });
    server.registerPrompt(
      'review code',
      {
        title: 'Review',
        description: 'Reviews code.',
        argsSchema: { code: z.string(), focus: z.string().optional() },
      },
      ({ code, focus }) => ({
        messages: [
          { role: 'user', content: { type: 'text', text: `Review ${code} for ${focus ?? 'everything'}.` } },
          { role: 'assistant', content: { type: 'text', text: 'Which part?' } },
          { role: 'user', content: { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } },
          {
            role: 'user',
            content: {
              type: 'resource',
              resource: { uri: 'file:///a.ts', mimeType: 'text/plain', text: 'let a;' },
            },
          },
        ],
      }),
    );
    const library: PromptLibrary = await createPromptLibrary(await connect(server));
    expect(library.list()).toMatchObject([
      { id: 'review-code', version: '0.0.0', name: 'Review', remote: true },
    ]);
    expect(() => library.expandUser('review-code', { code: 'x' })).toThrow(
      'Only its MCP server can expand prompt "review-code".',
    );

    const model = scriptedModel(['Fine.']);
    const { run } = await runPrompt(library.definePrompt('review-code', { model }), {
      input: { code: 'a.ts' },
    });
    expect((await run.finished).text).toBe('Fine.');
    expect(run.log()[0]).toMatchObject({ library: { id: 'review-code', version: '0.0.0' } });
    expect(model.calls[0]?.prompt).toMatchObject([
      { role: 'user', content: [{ text: 'Review a.ts for everything.' }] },
      { role: 'assistant', content: [{ text: 'Which part?' }] },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png' }] },
      { role: 'user', content: [{ type: 'text', text: 'let a;' }] },
    ]);
    await expect(
      runPrompt(library.definePrompt('review-code', { model }), { input: {} }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('the answer of a foreign server is checked', () => {
  const client = (list: unknown, get: unknown = {}): MCPPromptClient => ({
    listPrompts: () => Promise.resolve(list),
    getPrompt: () => Promise.resolve(get),
  });

  test.each([
    ['no list', {}],
    ['a prompt without a name', { prompts: [{}] }],
    ['endless pages', { prompts: [], nextCursor: 'again' }],
    [
      'more prompts than a library accepts',
      { prompts: Array.from({ length: 200_000 }, (_, n) => ({ name: `p${n}` })) },
    ],
    ['a faulty record of a library', { prompts: [{ name: 'p', _meta: { 'cueline/prompt': { id: 'p' } } }] }],
    ['a duplicate prompt', { prompts: [{ name: 'p' }, { name: 'p' }] }],
  ])('%s', async (_, list) => {
    await expect(createPromptLibrary(client(list))).rejects.toMatchObject({ code: 'invalid_library' });
  });

  test.each([
    ['no messages', {}],
    ['an unknown role', { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }],
    [
      'too many messages',
      {
        messages: Array.from({ length: 1_001 }, () => ({
          role: 'user',
          content: { type: 'text', text: 'x' },
        })),
      },
    ],
  ])('a prompt with %s', async (_, get) => {
    const library = await createPromptLibrary(client({ prompts: [{ name: 'p' }] }, get));
    await expect(
      runPrompt(library.definePrompt('p', { model: scriptedModel(['x']) }), { input: {} }),
    ).rejects.toMatchObject({ code: 'invalid_library' });
  });
});
