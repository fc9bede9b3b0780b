import { createRun, definePrompt, runPrompt, tool, type Prompt, type ToolList } from '@cueline/core';
import { defineAgent, runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { tool as aiTool, type ToolSet } from 'ai';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { go } from '../support.ts';

const city = z.object({ city: z.string() });
const weather = aiTool({
  description: 'The weather in a city',
  inputSchema: city,
  execute: ({ city }) => `sunny in ${city}`,
});
const own = tool('time', 'The time in a city', city, ({ city }) => `noon in ${city}`);
const set: ToolSet = { weather };

const call = (name: string) => ({ toolCall: { name, input: { city: 'Lisbon' } } });
const turns = () =>
  scriptedModel([[call('weather'), call('time')], [call('task_complete')], 'Done.', 'Done.']);

/** The two tools, in every form that a list takes. */
const lists: [string, ToolList][] = [
  ['a tool set and a tool', [set, own]],
  ['a tool, and one of the AI SDK with a name', [own, tool('weather', weather)]],
  [
    'a set with both',
    { weather, time: aiTool({ inputSchema: city, execute: ({ city }) => `noon in ${city}` }) },
  ],
];

/** Every place where tools may stand, and the outputs of the calls there. */
const places: [string, (tools: ToolList) => Promise<unknown[]>][] = [
  [
    'definePrompt',
    async (tools) => {
      const run = createRun(
        definePrompt('p', (prompt) => prompt.$`Go.`, { tools }),
        { model: turns() },
      );
      await run.start();
      return run.getState().toolCalls.map(({ output }) => output);
    },
  ],
  ['prompt.defTools', (tools) => outputs((prompt) => prompt.defTools(tools))],
  [
    'defineAgent',
    async (tools) => {
      const agent = defineAgent({ name: 'a', instructions: 'You answer.', tools });
      const run = createRun(agent, { model: turns() });
      await run.start('Hi');
      return run.getState().toolCalls.map(({ output }) => output);
    },
  ],
  [
    'runAgentSession',
    async (tools) => {
      const session = runAgentSession(turns(), { systemPrompt: 'You work.', tools: tools });
      const { error, totalTurns } = await session;
      if (totalTurns === 0) throw error;
      return session.run.getState().toolCalls.map(({ output }) => output);
    },
  ],
];

async function outputs(define: (prompt: Prompt) => void, model = turns()): Promise<unknown[]> {
  const { run } = await runPrompt(
    go((prompt) => define(prompt)),
    { model },
  );
  return (await run.finished).toolCalls.map(({ output }) => output);
}

describe.each(places)('%s takes tools', (_place, play) => {
  test.each(lists)('%s', async (_list, tools) => {
    expect((await play(tools)).slice(0, 2)).toEqual(['sunny in Lisbon', 'noon in Lisbon']);
  });
});

describe('one tool of the AI SDK', () => {
  test('gets a name from prompt.defTool', async () => {
    const model = scriptedModel([[call('forecast')], 'Done.']);
    expect(await outputs((prompt) => prompt.defTool('forecast', weather), model)).toEqual([
      'sunny in Lisbon',
    ]);
  });

  test('is a part of a composite tool', async () => {
    const calls = [
      { name: 'weather', args: { city: 'Faro' } },
      { name: 'time', args: { city: 'Faro' } },
    ];
    const model = scriptedModel([[{ toolCall: { name: 'city', input: { calls } } }], 'Done.']);
    expect(await outputs((prompt) => prompt.defTool('city', 'About a city', [set, own]), model)).toEqual([
      {
        results: [
          { name: 'weather', result: 'sunny in Faro' },
          { name: 'time', result: 'noon in Faro' },
        ],
      },
    ]);
  });

  test('is what tool({ … }) returns, as the AI SDK’s own function does', () => {
    const mine = tool({ description: 'Adds', inputSchema: city, execute: ({ city }) => city.length });
    expect(Object.keys(mine)).toEqual(['description', 'inputSchema', 'execute']);
    expectTypeOf(mine.execute).toBeFunction();
  });

  test('is typed in a prompt that declares it', () => {
    const prompt = definePrompt('p', () => {}, { tools: [{ weather }, own] });
    const [first] = createRun(prompt).getState().toolCalls;
    if (first?.toolName === 'weather') expectTypeOf(first.output).toEqualTypeOf<string | undefined>();
    if (first?.toolName === 'time') expectTypeOf(first.input).toEqualTypeOf<{ city: string } | undefined>();
    expect(first).toBeUndefined();
  });
});

describe('invalid tools are refused with what to write instead', () => {
  const without = [weather] as never;
  test.each<[string, () => unknown]>([
    ['definePrompt', () => definePrompt('p', () => {}, { tools: without })],
    ['a list with a string', () => definePrompt('p', () => {}, { tools: ['weather'] as never })],
    [
      'defineAgent',
      () => defineAgent({ name: 'a', instructions: 'You.', tools: without }).call('Hi', { model: turns() }),
    ],
  ])('%s', async (_place, make) => {
    const error = await Promise.resolve()
      .then(make)
      .then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    expect(error?.message).toMatch(/tool\('(?:search|look)'/);
  });

  const promised = Promise.resolve(set) as never;
  const listsOfPromises: [string, ToolList][] = [
    ['a promise of a tool set', promised],
    ['a list with a promise', [own, promised]],
  ];
  const placesAndOptions: typeof places = [
    ...places,
    [
      'options.tools',
      async (tools) => {
        const options = { tools: tools as ToolSet };
        await runPrompt((prompt) => prompt.$`Go.`, { model: turns(), options });
        return [];
      },
    ],
  ];
  test.each(
    placesAndOptions.flatMap(([place, play]) =>
      listsOfPromises
        .filter(([, tools]) => place !== 'options.tools' || !Array.isArray(tools))
        .map(([list, tools]) => [place, list, tools, play] as const),
    ),
  )('%s: %s', async (_place, _list, tools, play) => {
    await expect(async () => play(tools)).rejects.toThrow('await');
  });

  test.each([
    ...placesAndOptions,
    [
      'a composite tool',
      (tools: ToolList) => outputs((prompt) => prompt.defTool('city', 'About a city', [tools as ToolSet])),
    ] as const,
  ])('%s: a tool without an inputSchema', async (_place, play) => {
    const old = { weather: { description: 'The weather', parameters: city, execute: () => 'sunny' } };
    await expect(async () => play(old as never)).rejects.toThrow(
      'Tool weather has no inputSchema (in version 4 of the AI SDK, it was parameters). Write { inputSchema:',
    );
  });

  test.each(
    placesAndOptions.flatMap(([place, play]) => [
      [place, 'a schema in a set', { look: city }, play] as const,
      ...(place === 'options.tools'
        ? []
        : [
            [
              place,
              'tool(name, schema, fn)',
              [tool('look', city as never, (() => 1) as never)],
              play,
            ] as const,
          ]),
    ]),
  )('%s: %s', async (_place, _what, tools, play) => {
    await expect(async () => play(tools as never)).rejects.toThrow(
      "Write tool('look', 'what it does', z.object(",
    );
  });

  test('a tool without a description', async () => {
    const forgotten = (prompt: Prompt): void => prompt.defTool('look', city as never, (() => 1) as never);
    await expect(outputs(forgotten)).rejects.toThrow(/^The description of tool look is .*Write a string/s);
  });
});
