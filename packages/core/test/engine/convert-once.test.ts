// Each message is converted once in a run. Nobody may see a difference to a run in which the AI SDK converts all of them
// at every step, as it does where `experimental_toolCallers` is set.
import { inspect } from 'node:util';
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { filePart, runPrompt, type Hook, type PromptOptions } from '@cueline/core';
import { scriptedModel, type ScriptedPart, type ScriptedTurn } from '@cueline/core/testing';
import { experimental_createSteering as createSteering, wrapLanguageModel, type ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { convertOnce } from '../../src/engine/convert-once.ts';
import { call, go, timeless } from '../support.ts';

const pixel = 'iVBORw0KGgo=';
const look = (n: number): ScriptedPart => call('look', { n });
const file = (name: string) =>
  ({ type: 'file', mediaType: 'image/png', data: new URL(`https://files.test/${name}`) }) as const;

/** All of a value, the fields that are undefined too. */
const bytes = (value: unknown): string =>
  inspect(value, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, sorted: true });

type Way = {
  turns: readonly ScriptedTurn[];
  options?: PromptOptions;
  hooks?: readonly Hook[];
  tasks?: readonly string[] | undefined;
  /** Goes on with another model at these steps, which takes files by their URLs. */
  otherModelAt?: ((step: number) => boolean) | undefined;
  /** Writes into the prompt on its way to the provider. */
  write?: ((prompt: LanguageModelV4Prompt) => void) | undefined;
};

/** What a run showed of its messages, to whom, and what it downloaded. */
type Seen = { prompts: string[]; told: string[]; log: string; error: string | undefined; urls: string[] };

async function play(way: Way, convertAll = false): Promise<Seen> {
  const seen: Seen = { prompts: [], told: [], log: '', error: undefined, urls: [] };
  const tell = (who: string, what: unknown): void => void seen.told.push(`${who}: ${bytes(what)}`);
  const script = scriptedModel(way.turns);
  const { write } = way;
  const modelThatTakes = (supportedUrls: Record<string, RegExp[]>): LanguageModelV4 => {
    const model: LanguageModelV4 = {
      ...script,
      supportedUrls,
      doStream(options) {
        seen.prompts.push(bytes(options.prompt));
        return script.doStream(options);
      },
    };
    if (write === undefined) return model;
    const transformParams = ({ params }: { params: { prompt: LanguageModelV4Prompt } }): never => {
      write(params.prompt);
      return Promise.resolve(params) as never;
    };
    return wrapLanguageModel({ model, middleware: { specificationVersion: 'v4', transformParams } });
  };
  const model = modelThatTakes({});
  const otherModel = modelThatTakes({ '*/*': [/^https:/] });
  const steering = createSteering();
  const { prepareStep, ...options } = way.options ?? {};
  const { run, result } = await runPrompt(
    (prompt) => {
      prompt.defSystem('role', 'Helper.');
      prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }, { messages }) => {
        tell('tool', messages);
        if (n === 3) throw new Error('It is dark.');
        if (n === 4)
          return [{ type: 'image', image: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) }];
        if (n === 5)
          return [
            { type: 'text', text: 'A picture' },
            filePart('https://files.test/found.png', { mediaType: 'image/png' }),
          ];
        if (n === 6) void steering.steer('Look closer.', { id: 'user' });
        return `seen ${n}`;
      });
      if (way.tasks !== undefined) prompt.defTaskList(way.tasks.map((task) => ({ task })));
      if (way.otherModelAt !== undefined) {
        const { otherModelAt } = way;
        prompt.defHook(({ stepNumber }) => (otherModelAt(stepNumber) ? { model: otherModel } : undefined));
      }
      for (const hook of way.hooks ?? []) {
        prompt.defHook((step) => {
          tell('hook', step.messages);
          return hook(step);
        });
      }
      prompt.$`Go.`;
    },
    {
      model,
      options: {
        maxRetries: 1,
        include: { requestMessages: true },
        experimental_steering: steering,
        experimental_download: async (files) => {
          seen.urls.push(
            ...files.filter((each) => !each.isUrlSupportedByModel).map(({ url }) => url.pathname),
          );
          return Promise.all(
            files.map(async (each) => (each.isUrlSupportedByModel ? null : download(each.url))),
          );
        },
        experimental_repairToolCall: ({ messages }) => {
          tell('repair', messages);
          return Promise.resolve(null);
        },
        prepareStep: (step) => {
          tell('prepareStep', [
            step.messages,
            step.initialMessages,
            step.responseMessages,
            step.model === model,
          ]);
          return prepareStep?.(step);
        },
        onStepStart: ({ messages, instructions }) => tell('onStepStart', [instructions, messages]),
        onLanguageModelCallStart: ({ messages }) => tell('onLanguageModelCallStart', messages),
        onToolExecutionStart: ({ messages }) => tell('onToolExecutionStart', messages),
        onStepEnd: ({ model, request, response }) =>
          tell('onStepEnd', [model, request.messages, response.messages]),
        onEnd: ({ responseMessages }) => tell('onEnd', responseMessages),
        telemetry: {
          integrations: [
            {
              onStepStart: (step) =>
                tell('telemetry', [step.messages, (step as { promptMessages?: unknown }).promptMessages]),
            },
          ],
        },
        ...(convertAll ? { experimental_toolCallers: {} } : {}),
        ...options,
      },
    },
  );
  const state = await run.finished;
  // which goes on until the last callback has been called
  await result.consumeStream();
  if (state.status === 'error') seen.error = state.error.message;
  if (state.status === 'done') {
    tell('result', [
      await result.responseMessages,
      (await result.steps).map(({ request, response }) => [request.messages, response.messages]),
    ]);
  }
  seen.log = bytes(timeless(run.log())).replaceAll(/'tasks-\w+'/g, "'tasks'");
  return seen;
}

async function download(url: URL): Promise<{ data: Uint8Array; mediaType: string }> {
  if (url.pathname === '/gone.png') throw new Error('There is no such file.');
  return { data: new TextEncoder().encode(url.pathname), mediaType: 'image/png' };
}

/** The run, which has been seen to be as one in which all messages are converted at every step. */
async function playBoth(way: Way): Promise<Seen & { plainUrls: string[] }> {
  const { urls, ...seen } = await play(way);
  const { urls: plainUrls, ...plain } = await play(way, true);
  expect(seen).toEqual(plain);
  return { urls, plainUrls, ...seen };
}

const mark = (message: ModelMessage): ModelMessage => ({
  ...message,
  providerOptions: { test: { cache: true } },
});
const openCall = (toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: 'look', input: { n: 0 } }) as const;
const resultOf = (toolCallId: string) =>
  ({ type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'json', value: 1 } }) as const;
const unanswered: ModelMessage = { role: 'assistant', content: [openCall('open')] };

describe('converting messages once cannot be observed', () => {
  const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.nat(6).map(look), { minLength: 1, maxLength: 3 }) },
    fc.constantFrom<ScriptedTurn>(
      [{ text: 'Let me see.' }, look(1)],
      [{ reasoning: 'Hm.' }, look(2)],
      [call('nowhere', {})],
      [call('look', '{"n":')],
      [call('finishTask', { result: 'Finished.' })],
      'What else?',
    ),
  );
  const message = fc.constantFrom<ModelMessage[]>(
    [{ role: 'user', content: 'Before.' }],
    [{ role: 'user', content: [{ type: 'text', text: 'This:' }, file('a.png')] }],
    [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: pixel },
          { type: 'text', text: '' },
        ],
      },
    ],
    [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
    [mark({ role: 'assistant', content: 'Yes.' })],
    [
      { role: 'assistant', content: [openCall('old')] },
      { role: 'tool', content: [resultOf('old')] },
    ],
    // two messages of results that become one, and one that becomes none
    [
      { role: 'assistant', content: [openCall('x'), openCall('y')] },
      { role: 'tool', content: [resultOf('x')] },
      { role: 'tool', content: [resultOf('y')] },
      { role: 'tool', content: [] },
      { role: 'user', content: 'And?' },
    ],
  );
  const hook = fc.constantFrom<Hook>(
    () => {},
    ({ messages }) => ({ messages }),
    ({ messages }) => ({ messages: messages.slice(-4) }),
    ({ messages, stepNumber }) => (stepNumber === 2 ? { messages: messages.slice(-2) } : undefined),
    ({ messages }) => ({ messages: [...messages.slice(0, -1), ...messages.slice(-1).map(mark)] }),
    ({ stepNumber }) =>
      stepNumber === 1
        ? {
            system: [
              { role: 'system', content: 'A' },
              { role: 'system', content: 'B' },
            ],
          }
        : undefined,
  );
  const prepareStep = fc.constantFrom<PromptOptions['prepareStep']>(
    undefined,
    ({ messages, stepNumber }) => (stepNumber === 2 ? { messages: messages.slice(-3) } : undefined),
    ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'Mind the step.' }] }),
    ({ messages }) => ({ messages: [...messages.slice(0, -1), ...messages.slice(-1).map(mark)] }),
    ({ messages, stepNumber }) => (stepNumber === 3 ? { messages: [...messages, unanswered] } : undefined),
    ({ messages, stepNumber }) =>
      stepNumber === 1 ? { messages: [{ role: 'system', content: 'Not here.' }, ...messages] } : undefined,
    ({ initialMessages }) => ({ messages: initialMessages }),
    ({ stepNumber }) => ({ instructions: stepNumber % 2 === 0 ? [] : `Step ${stepNumber}.` }),
  );
  const write = fc.constantFrom<Way['write']>(
    undefined,
    (prompt) => void (prompt.at(-1)!.providerOptions = { test: { cache: true } }),
    (prompt) => {
      for (const each of prompt) each.providerOptions = { test: { length: prompt.length } };
    },
    (prompt) => {
      for (const { role, content } of prompt) {
        if (role === 'user') for (const part of content) if (part.type === 'text') part.text += '!';
      }
    },
    (prompt) => prompt.splice(0, 1),
  );

  test('whatever is said, cut, and sent', { timeout: 120_000 }, async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          turns: fc.array(turn, { minLength: 1, maxLength: 8, size: 'max' }),
          messages: fc.array(message, { maxLength: 4 }),
          hooks: fc.array(hook, { maxLength: 2 }),
          prepareStep: fc.option(prepareStep, { nil: undefined }),
          tasks: fc.option(fc.constant(['Open', 'Close']), { nil: undefined, freq: 2 }),
          otherModelAt: fc.option(
            fc.constantFrom<Way['otherModelAt']>(
              (step) => step % 2 === 1,
              (step) => step > 2,
            ),
            { nil: undefined },
          ),
          write,
        }),
        async ({ turns, messages, prepareStep: own, ...way }) => {
          await playBoth({
            ...way,
            turns: [...turns, ...Array<string>(12).fill('Done.')],
            options: { messages: messages.flat(), ...(own === undefined ? {} : { prepareStep: own }) },
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  test('when results are joined to those that the step before has sent', async () => {
    const list: ModelMessage[] = [
      { role: 'assistant', content: [openCall('old')] },
      { role: 'tool', content: [resultOf('old')] },
    ];
    const late: ModelMessage = { role: 'tool', content: [resultOf('late')] };
    const own: PromptOptions['prepareStep'] = ({ stepNumber }) => ({
      messages: stepNumber === 0 ? list : [...list, late],
    });
    const { prompts } = await playBoth({ turns: [[look(1)], 'Done.'], options: { prepareStep: own } });
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).not.toBe(prompts[0]);
  });

  const count = (message: LanguageModelV4Prompt[number]): void => {
    const { n = 0 } = message.providerOptions?.['test'] ?? {};
    message.providerOptions = { test: { n: Number(n) + 1 } };
  };
  test.each<[string, NonNullable<Way['write']>]>([
    [
      'parts',
      ([, user]) => void (user?.role === 'user' && user.content.push({ type: 'text', text: 'Now.' })),
    ],
    [
      'what parts say',
      ([, user]) =>
        void (
          user?.role === 'user' &&
          Object.assign(user.content[0]!, { text: `${(user.content[0] as { text: string }).text}!` })
        ),
    ],
    ['messages', (prompt) => prompt.forEach(count)],
    ['earlier messages, from some step on', (prompt) => void (prompt.length > 4 && count(prompt[1]!))],
  ])('when somebody writes into a prompt: %s', async (_what, writing) => {
    const turns: ScriptedTurn[] = [[look(1)], [look(2)], [look(0)], [look(4)], [look(5)], 'Done.'];
    const { prompts } = await playBoth({ turns, write: writing });
    expect(prompts).toHaveLength(6);
  });

  test('when the call of a model is made again', async () => {
    const busy = { throw: { message: 'busy', status: 503, headers: { 'retry-after-ms': '1' } } };
    const { prompts } = await playBoth({ turns: [[look(1)], [look(2)], [busy], [look(0)], [busy], 'Done.'] });
    expect(prompts).toHaveLength(6);
    expect(prompts[3]).toBe(prompts[2]);
  });

  test('when a stream breaks and starts again', async () => {
    const broken: ScriptedTurn = [{ text: 'Half' }, { error: { message: 'overheated' } }];
    const options = { streamRetries: 1 };
    const { prompts } = await playBoth({
      turns: [[look(1)], [look(2)], broken, [look(0)], 'Done.'],
      options,
    });
    expect(prompts).toHaveLength(5);
    expect(prompts[3]).toBe(prompts[2]);
  });
});

describe('a file that the provider cannot take by its URL', () => {
  const messages: ModelMessage[] = [{ role: 'user', content: [file('given.png')] }];
  const turns: ScriptedTurn[] = [[look(5)], [look(1)], [look(2)], 'Done.'];

  test('is downloaded once', async () => {
    const { urls, plainUrls, prompts } = await playBoth({ turns, options: { messages } });
    expect(urls).toEqual(['/given.png', '/found.png']);
    expect(plainUrls).toHaveLength(4 + 3);
    expect(prompts).toHaveLength(4);
    expect(prompts.every((prompt) => !prompt.includes('https://'))).toBe(true);
  });

  test('is downloaded again for another model, and left alone for a model that accepts it', async () => {
    const { urls, prompts } = await playBoth({
      turns,
      options: { messages },
      otherModelAt: (step) => step === 1,
    });
    expect(urls).toEqual(['/given.png', '/given.png', '/found.png']);
    expect(prompts.map((prompt) => prompt.includes('https://'))).toEqual([false, true, false, false]);
  });
});

describe('what the AI SDK refuses it refuses still', () => {
  const turns: ScriptedTurn[] = [[look(1)], [look(2)], 'Done.'];
  const adding =
    (added: ModelMessage): NonNullable<PromptOptions['prepareStep']> =>
    ({ messages, stepNumber }) =>
      stepNumber === 2 ? { messages: [...messages, added] } : undefined;

  test.each<[string, ModelMessage, string]>([
    ['a call without its result', unanswered, 'Tool result is missing for tool call open'],
    ['a system message', { role: 'system', content: 'No.' }, 'System messages are not allowed in the prompt'],
    [
      'a role that it does not know',
      { role: 'crowd', content: 'No.' } as never,
      "Invalid message role: 'crowd'",
    ],
    ['a file that is not there', { role: 'user', content: [file('gone.png')] }, 'There is no such file.'],
  ])('%s', async (_what, added, message) => {
    const { error, prompts } = await playBoth({ turns, options: { prepareStep: adding(added) } });
    expect(error).toContain(message);
    expect(prompts).toHaveLength(2);
  });
});

test('a model keeps its private fields, and its name in the log', async () => {
  const script = scriptedModel([[look(1)], [look(2)], 'Done.']);
  class Provider {
    readonly specificationVersion = 'v4';
    readonly provider = 'acme.chat';
    readonly #name = 'own';
    readonly doGenerate = script.doGenerate;
    get modelId(): string {
      return this.#name;
    }
    get supportedUrls(): Record<string, RegExp[]> {
      return { [this.#name]: [] };
    }
    doStream(options: Parameters<LanguageModelV4['doStream']>[0]): ReturnType<LanguageModelV4['doStream']> {
      void this.#name;
      return script.doStream(options);
    }
  }
  const { run } = await runPrompt(
    go((prompt) => prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => n)),
    { model: new Provider() },
  );
  const { status, steps } = await run.finished;
  expect({ status, models: steps.map(({ request }) => request.model) }).toEqual({
    status: 'done',
    models: ['acme.chat:own', 'acme.chat:own', 'acme.chat:own'],
  });
});

describe('an AI SDK that hands on copies', () => {
  const text = (role: 'user' | 'assistant', content: string): ModelMessage => ({ role, content });
  const first = [text('user', 'Go.'), text('assistant', 'Where?'), text('user', 'On.')];
  const second = [...first, text('assistant', 'Gone.'), text('user', 'Good.')];
  const convert = (messages: readonly ModelMessage[]): LanguageModelV4Prompt =>
    messages.map(({ role, content, providerOptions }) => ({
      role,
      content: [{ type: 'text', text: content }],
      providerOptions,
    })) as LanguageModelV4Prompt;

  /** Two steps of a run: the messages to convert at the second one, and the prompt that the model gets then. */
  async function play(handOn: (messages: ModelMessage[]) => ModelMessage[]) {
    const script = scriptedModel(['Gone.', 'Good.']);
    const options = convertOnce<Pick<PromptOptions, 'prepareStep' | 'onStepStart'>>({});
    let converted = 0;
    for (const messages of [first, second]) {
      const prepared = (await options.prepareStep?.({ model: script, messages } as never)) ?? {};
      const { model = script, messages: given = [] } = prepared;
      const prompt = convert(given);
      converted = prompt.length;
      const event = { messages: handOn(given), promptMessages: structuredClone(prompt) };
      await options.onStepStart?.(event as never);
      await (model as LanguageModelV4).doStream({ prompt });
    }
    return { converted, prompt: script.calls[1]?.prompt };
  }

  test('of prompts sends the model all of each', async () => {
    expect(await play((messages) => messages)).toEqual({ converted: 3, prompt: convert(second) });
  });

  test('of lists of messages converts all of each', async () => {
    expect(await play((messages) => [...messages])).toEqual({ converted: 5, prompt: convert(second) });
  });
});
