import { inspect } from 'node:util';
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { filePart, runPrompt, type Hook, type PromptOptions } from '@cueline/core';
import { scriptedModel, type ScriptedPart, type ScriptedTurn } from '@cueline/core/testing';
import { experimental_createSteering as createSteering, wrapLanguageModel, type ModelMessage } from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import { call, go, timeless } from '../support.ts';

export const look = (n: number): ScriptedPart => call('look', { n });

export const file = (name: string) =>
  ({ type: 'file', mediaType: 'image/png', data: new URL(`https://files.test/${name}`) }) as const;

/** All of a value, the fields that are undefined too. */
const bytes = (value: unknown): string =>
  inspect(value, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, sorted: true });

export type Way = {
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
export type Seen = {
  prompts: string[];
  told: string[];
  log: string;
  error: string | undefined;
  urls: string[];
};

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
    go((prompt) => {
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
    }),
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
export async function playBoth(way: Way): Promise<Seen & { plainUrls: string[] }> {
  const { urls, ...seen } = await play(way);
  const { urls: plainUrls, ...plain } = await play(way, true);
  expect(seen).toEqual(plain);
  return { urls, plainUrls, ...seen };
}

export const openCall = (toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: 'look', input: { n: 0 } }) as const;

export const unanswered: ModelMessage = { role: 'assistant', content: [openCall('open')] };
