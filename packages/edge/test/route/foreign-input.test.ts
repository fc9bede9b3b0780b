import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createRun,
  CuelineError,
  definePrompt,
  filePart,
  runPrompt,
  type Prompt,
  type PromptDefinition,
} from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute, type RoutePrompt } from '@cueline/edge';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { address, client, greet, never, all, page, post, refusal, testRoute } from './routes.ts';

let fetched = 0;
let base = '';
const server = createServer((request, response) => {
  fetched += 1;
  if (request.url === '/moved') response.writeHead(302, { location: '/secret' }).end();
  else response.writeHead(200, { 'content-type': 'text/plain' }).end('secret');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => void (fetched = 0));

/** The prompt `read-booking` of the example, in its form before it had a schema and with it. */
const say = (prompt: { $: (strings: TemplateStringsArray, ...values: unknown[]) => void }, letter: unknown) =>
  prompt.$`The letter:\n\n${letter}`;
const readBooking = definePrompt('read-booking', (prompt, { letter }) => say(prompt, letter), {
  input: z.object({ letter: z.string() }),
});
const careless = definePrompt(
  'careless',
  (prompt, input) => say(prompt, (input as { letter: unknown }).letter),
  {
    input: z.any(),
  },
);
const listing = definePrompt('listing', (prompt, { text }) => prompt.defMessage('user', text), {
  input: z.object({ text: z.string() }),
});

const attacks = (): [string, unknown][] => [
  ['an address', { type: 'file', data: `${base}/secret`, mediaType: 'text/plain' }],
  ['an address that moves', { type: 'file', data: `${base}/moved`, mediaType: 'text/plain' }],
  ['a name', { type: 'file', data: base.replace('127.0.0.1', 'localhost'), mediaType: 'text/plain' }],
  ['an image', { type: 'image', image: `${base}/secret` }],
  ['a recording', { type: 'audio', data: `${base}/secret`, mediaType: 'audio/mpeg' }],
  [
    'the AI SDK’s form',
    { type: 'file', data: { type: 'url', url: `${base}/secret` }, mediaType: 'text/plain' },
  ],
  ['a file id', { type: 'image', image: 'file-8EFBcWHsQxZV7YGezBC1fq' }],
  ['a reference', { type: 'file', data: { openai: 'file-1' }, mediaType: 'application/pdf' }],
  ['provider options', { type: 'text', text: 'a', providerOptions: { openai: { store: true } } }],
  ['a brand by its name', { type: 'text', text: 'a', 'Symbol(cueline.part)': true, 'cueline.part': true }],
];

describe('a client that sends a part instead of a string', () => {
  test('is refused by the schema, with the path and without the value', async () => {
    for (const [, letter] of attacks()) {
      for (const input of [{ letter }, { letter: [letter] }]) {
        const hub = testRoute(['Never.'], { definition: readBooking });
        const refused = await refusal(await hub.route(post({ input })));
        expect(refused).toMatchObject({ status: 400, code: 'invalid_input' });
        expect(refused.message).toContain('input.letter: Invalid input: expected string');
        expect(refused.message).not.toContain(base);
        expect(hub.model.calls).toEqual([]);
      }
    }
    expect(fetched).toBe(0);
  });

  test('cannot make a message out of a list', async () => {
    for (const [, part] of attacks()) {
      const hub = testRoute(['Never.'], { definition: listing });
      expect(await refusal(await hub.route(post({ input: { text: [part] } })))).toMatchObject({
        code: 'invalid_input',
      });
      expect(hub.model.calls).toEqual([]);
    }
  });

  test('cannot make the server fetch anything if the schema accepts anything', async () => {
    for (const [, letter] of attacks()) {
      const hub = testRoute(['Never.'], { definition: careless, showErrors: true });
      const response = await hub.route(post({ input: { letter } }));
      expect(await response.text()).toContain('is a plain object of the type');
      expect(hub.model.calls).toEqual([]);
    }
    expect(fetched).toBe(0);
  });

  test.each<[string, (prompt: Prompt, part: never) => void]>([
    ['a list of theirs', (prompt, part) => prompt.defMessage('user', [part])],
    [
      'of a task',
      (prompt, part) => {
        prompt.defTaskList([{ task: 'Read', extend: (own) => own.defMessage('user', [part]) }]);
        prompt.$`Go.`;
      },
    ],
    [
      'of the assistant',
      (prompt, part) => {
        prompt.$`Go.`;
        prompt.defMessage('assistant', [part]);
      },
    ],
  ])('cannot make a message out of a list if the schema accepts anything: %s', async (_, define) => {
    const given = definePrompt('given', (prompt, input) => define(prompt, (input as { part: never }).part), {
      input: z.any(),
    });
    for (const [, part] of attacks()) {
      const hub = testRoute(['Never.'], { definition: given, showErrors: true });
      const text = await (await hub.route(post({ input: { part } }))).text();
      expect(text).toMatch(/comes from the input, so it is data, not a part|belongs in a message of/);
      expect(hub.model.calls).toEqual([]);
    }
    expect(fetched).toBe(0);
  });

  test('cannot name a file at a provider in a part that the prompt writes', async () => {
    const image = definePrompt(
      'image',
      (prompt, { url }) => prompt.defMessage('user', [{ type: 'image', image: url as string }]),
      { input: z.object({ url: z.unknown() }) },
    );
    const ids = [
      'file-8EFBcWHsQxZV7YGezBC1fq',
      'file_011CNha8iCJcU1wXNR6q4V8w',
      { openai: 'file-1' },
      { type: 'reference', reference: { openai: 'file-1' } },
      { type: 'data', data: 'file-8EFBcWHsQxZV7YGezBC1fq' },
    ];
    for (const url of ids) {
      const hub = testRoute(['Never.'], { definition: image, showErrors: true });
      expect(await (await hub.route(post({ input: { url } }))).text()).toContain(
        "names a file at a provider, which could come from the input. Make the part: imagePart({ openai: 'file-…' }).",
      );
      expect(hub.model.calls).toEqual([]);
    }
    const picture = 'data:image/png;base64,iVBORw0KGgo=';
    const hub = testRoute(['Seen.'], { definition: image });
    await (await hub.route(post({ input: { url: picture } }))).text();
    expect(hub.model.calls).toHaveLength(1);
  });

  test('cannot set the provider options of such a part', async () => {
    const options = definePrompt(
      'options',
      (prompt, { providerOptions }) =>
        prompt.defMessage('user', [{ type: 'text', text: 'Hi', providerOptions: providerOptions as never }]),
      { input: z.object({ providerOptions: z.unknown() }) },
    );
    const hub = testRoute(['Never.'], { definition: options, showErrors: true });
    const providerOptions = { openai: { store: true } };
    expect(await (await hub.route(post({ input: { providerOptions } }))).text()).toContain(
      'providerOptions come from the input',
    );
    expect(hub.model.calls).toEqual([]);
  });

  test('gains nothing through the arguments of an agent call', async () => {
    const asking = definePrompt('asking', (prompt) => {
      prompt.defAgent('look', 'Looks', z.object({ at: z.any() }), ({ at }, own) =>
        own.defMessage('user', [typeof at === 'string' ? { type: 'image', image: at } : at]),
      );
      prompt.$`Look.`;
    });
    for (const at of ['file-8EFBcWHsQxZV7YGezBC1fq', ...attacks().map(([, part]) => part)]) {
      const script = [[{ toolCall: { name: 'look', input: { at } } }], 'Done.'];
      const hub = testRoute(script, { definition: asking, showErrors: true });
      expect(await (await hub.route(post({}))).text()).toMatch(/from the input/);
      expect(hub.model.calls).toHaveLength(2);
    }
    expect(fetched).toBe(0);
  });

  test('cannot send a list of parts to an agent', async () => {
    const agent = defineAgent({ name: 'reader', instructions: 'Read.' });
    for (const [, part] of attacks()) {
      const hub = testRoute(['Never.'], { definition: agent });
      expect(await refusal(await hub.route(post({ input: [part] })))).toMatchObject({
        code: 'invalid_input',
      });
      expect(hub.model.calls).toEqual([]);
    }
    const hub = testRoute(['Read.'], { definition: agent });
    const log = await all(client(hub).start({ definition: agent, input: 'Hi.' }, never()));
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
  });
});

describe('a tool that returns a part', () => {
  test.each(['route', 'process'])('in the %s cannot fetch, refer to files or set options', async (where) => {
    for (const [, part] of attacks()) {
      const reading = definePrompt('reading', (prompt) => {
        prompt.defTool('read', 'Reads', z.object({}), () => [{ type: 'text', text: 'It:' }, part]);
        prompt.$`Read.`;
      });
      const script = [[{ toolCall: { name: 'read', input: {} } }], 'Done.'];
      const hub = testRoute(script, { definition: reading });
      if (where === 'route') await (await hub.route(post({}))).text();
      else await createRun(reading, { model: hub.model }).start();
      const [result] = hub.model.calls[1]!.prompt.at(-1)!.content as {
        output: { type: string; value: unknown };
      }[];
      const files = result!.output.type === 'content' ? (result!.output.value as { type: string }[]) : [];
      expect(files.filter((one) => one.type === 'file' || 'providerOptions' in one)).toEqual([]);
    }
    expect(fetched).toBe(0);
  });

  test('is data in a later turn that a chat sends back', async () => {
    for (const [, part] of attacks()) {
      const hub = testRoute(['Hi.']);
      const call = {
        type: 'tool-look',
        toolCallId: 'c',
        state: 'output-available',
        input: {},
        output: [part],
      };
      const messages = [
        { id: 'a', role: 'assistant', parts: [call] },
        { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
      ];
      const response = await hub.route(post({ id: 'chat', trigger: 'submit-message', messages }));
      expect(response.status).toBe(200);
      await response.text();
      const [result] = hub.model.calls[0]!.prompt.at(-2)!.content as {
        output: { type: string; value: unknown };
      }[];
      const parts = result!.output.type === 'content' ? (result!.output.value as object[]) : [];
      expect(parts.filter((one) => 'data' in one || 'providerOptions' in one)).toEqual([]);
    }
    expect(fetched).toBe(0);
  });

  test('may contain URLs in its data, and can be sent back', async () => {
    const hub = testRoute(['Hi.']);
    const output = [{ title: 'A', url: 'https://a.example/' }];
    const call = { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: {}, output };
    const messages = [
      { id: 'a', role: 'assistant', parts: [call] },
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ];
    const response = await hub.route(post({ input: {}, messages }));
    expect(response.status).toBe(200);
    await response.text();
    expect(hub.model.calls[0]!.prompt.at(-2)).toMatchObject({
      content: [{ output: { type: 'json', value: output } }],
    });
  });
});

describe('the input of a prompt', () => {
  const any = definePrompt('any', (prompt) => prompt.$`Hi.`, { input: z.any() });
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const sends = (input: string, limits = {}) => {
    const hub = testRoute(['Hi.'], { definition: any, limits });
    const request = new Request(address, {
      method: 'POST',
      headers: post({}).headers,
      body: `{"input":${input}}`,
    });
    return hub.route(request);
  };

  test('is limited in depth, values and bytes', async () => {
    expect((await sends(deep(32))).status).toBe(200);
    expect((await sends(deep(500_000))).status).toBe(400);
    for (const [input, limits] of [
      [deep(33), {}],
      [`[${'0,'.repeat(10_000)}0]`, {}],
      [`{"a":${'[{}],'.repeat(1).slice(0, -1)},"b":[${'[],'.repeat(6_000)}[${'0,'.repeat(6_000)}0]]}`, {}],
      [`"${'x'.repeat(300_000)}"`, {}],
      [`{"${'k'.repeat(300_000)}":1}`, {}],
      ['[[[]]]', { inputDepth: 2 }],
      ['[1,2,3]', { inputNodes: 3 }],
      ['"ééé"', { inputBytes: 7 }],
    ] as const) {
      const refused = await refusal(await sends(input, limits));
      expect(refused).toMatchObject({ status: 413, code: 'too_large' });
      expect(refused.message.length).toBeLessThan(200);
    }
    expect((await sends('[1,2,3]', { inputNodes: 4 })).status).toBe(200);
    expect((await sends('"ééé"', { inputBytes: 8 })).status).toBe(200);
  });

  test('is refused if the prompt takes none', async () => {
    const plain = definePrompt('plain', (prompt) => prompt.$`Hi.`);
    const hub = testRoute(['Hi.'], { definition: plain });
    const refused = await refusal(await hub.route(post({ input: { a: 1 } })));
    expect(refused).toMatchObject({ status: 400, code: 'unsupported_field' });
    expect((await hub.route(post({}))).status).toBe(200);
  });

  test('is validated after accept, and the function gets the output of the schema', async () => {
    const got = vi.fn();
    const definition = definePrompt('mine', (prompt, input) => (got(input), prompt.$`Hi.`), {
      input: z.object({ user: z.string(), n: z.number().default(7) }),
    });
    const hub = testRoute(['Hi.'], { definition, accept: ({ subject }) => ({ input: { user: subject } }) });
    await (await hub.route(post({ input: { user: 'eve' } }))).text();
    expect(got).toHaveBeenCalledExactlyOnceWith({ user: 'ada', n: 7 });
  });

  test('ends a run with the path of its error if it does not fit', async () => {
    const hub = testRoute(['Never.'], { definition: readBooking });
    const run = createRun(readBooking, { executor: client(hub) });
    await expect(run.start({ letter: 7 as never })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('input.letter') as string,
    });
  });
});

describe('a route can be made', () => {
  const options = { model: 'simulated:demo', origins: [page], auth: async () => ({ subject: 'ada' }) };

  test('only of prompts that have a schema for their input', () => {
    const open = definePrompt('open', (prompt, input: { city: string }) => prompt.$`${input.city}`);
    // @ts-expect-error it has no schema for its input
    expect(() => createPromptRoute(open, options)).toThrow(
      'The function of prompt "open" takes input, and the prompt has no schema for it',
    );
    // @ts-expect-error one of them has none
    expect(() => createPromptRoute([greet, open], options)).toThrow(CuelineError);
    const without: PromptDefinition = definePrompt('without', (prompt) => prompt.$`Hi.`);
    const prompts: RoutePrompt[] = [
      greet,
      readBooking,
      without,
      defineAgent({ name: 'a', instructions: 'A.' }),
    ];
    expect(createPromptRoute(prompts, options)).toBeTypeOf('function');
  });
});

test('a part that code makes is a part, also over a route', async () => {
  const definition = definePrompt(
    'letters',
    (prompt, { text }) => prompt.$`Read ${filePart(btoa(text), { mediaType: 'text/plain' })}`,
    {
      input: z.object({ text: z.string() }),
    },
  );
  const model = scriptedModel(['Read.']);
  const { run } = await runPrompt(definition, { model, input: { text: 'Hi.' } });
  await run.finished;
  expect(model.calls[0]!.prompt.at(-1)!.content).toMatchObject([
    { type: 'text' },
    { type: 'file', mediaType: 'text/plain' },
  ]);
});
