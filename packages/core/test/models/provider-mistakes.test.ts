// Mistakes in the functions and the objects that say where models come from.
import { createRun, definePrompt, inProcess, runPrompt } from '@cueline/core';
import { createModels, type ModelSettings } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { throwing } from '../support.ts';

const hello = definePrompt('hello', (prompt) => prompt.$`Go.`);
const fails = throwing(new Error('The secrets are away.'));

const mistakes: [what: string, settings: ModelSettings, message: string][] = [
  ['a function in providers that throws', { providers: { desk: fails } }, 'providers.desk threw:'],
  [
    'a function in providers that rejects',
    { providers: { desk: async () => fails() } },
    'providers.desk threw:',
  ],
  [
    'a provider whose languageModel throws',
    { providers: { desk: { languageModel: fails } } },
    'providers.desk threw:',
  ],
  [
    'a provider whose languageModel rejects',
    { providers: { desk: { languageModel: (async () => fails()) as never } } },
    'providers.desk threw:',
  ],
  [
    'wrapModel that throws',
    { providers: { desk: () => scriptedModel(['Hi.']) }, wrapModel: fails },
    'wrapModel threw:',
  ],
];

test.each(mistakes)(
  '%s is named as the source of the error, and not the prompt',
  async (_, settings, message) => {
    const error = { code: 'script_error', source: 'hook', message: `${message} The secrets are away.` };
    const run = createRun(hello, { model: 'desk:large', executor: inProcess(settings) });
    await expect(run.start()).rejects.toMatchObject(error);
    await expect(createModels(settings).resolve('desk:large')).rejects.toMatchObject(error);
  },
);

test('an error of the AI SDK that a provider throws keeps its meaning', async () => {
  const error = Object.assign(new Error('There is no model "large".'), { name: 'AI_NoSuchModelError' });
  Object.assign(error, { [Symbol.for('vercel.ai.error.AI_NoSuchModelError')]: true });
  const providers = {
    desk: throwing(error),
  };
  await expect(createModels({ providers }).resolve('desk:large')).rejects.toMatchObject({
    code: 'unknown_model',
    source: 'model',
    message: 'There is no model "large".',
  });
});

test.each([undefined, null, 'large', 5, {}])(
  '%j in place of a provider is refused with what to pass',
  async (desk) => {
    const providers = { desk } as unknown as NonNullable<ModelSettings['providers']>;
    await expect(createModels({ providers }).resolve('desk:large')).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('providers.desk is neither a provider nor a function'),
    });
  },
);

describe('a promise in place of a setting', () => {
  const model = scriptedModel(['Hi.']);
  const promised = (): never => Promise.reject(new Error('The secrets are away.')) as never;

  test.each(['model', 'providers', 'env', 'fetch', 'wrapModel', 'packages', 'messages', 'tasks', 'options'])(
    '%s is refused',
    async (name) => {
      const config = { model, [name]: promised() };
      await expect(runPrompt(hello, config)).rejects.toMatchObject({
        code: 'invalid_options',
        message: `The settings of the run: ${name} is a promise. Write await before it.`,
      });
    },
  );

  test.each(['limits', 'timeout', 'headers', 'tools', 'abortSignal'])(
    'options.%s is refused',
    async (name) => {
      const run = runPrompt(hello, { model, options: { [name]: promised() } });
      await expect(run).rejects.toMatchObject({
        code: 'invalid_options',
        message: `options: ${name} is a promise. Write await before it.`,
      });
    },
  );

  test.each(['model', 'options'])('%s of a run object is refused', async (name) => {
    const run = createRun(hello, { model, executor: inProcess(), [name]: promised() });
    await expect(run.start()).rejects.toThrow(
      `The settings of the run: ${name} is a promise. Write await before it.`,
    );
  });

  test('of createModels is refused when it is created', () => {
    expect(() => createModels({ providers: promised() })).toThrow(
      'createModels: providers is a promise. Write await before it.',
    );
  });

  test('as a provider is refused when its model is resolved', async () => {
    await expect(createModels({ providers: { desk: promised() } }).resolve('desk:large')).rejects.toThrow(
      'providers.desk is a promise. Write await before it.',
    );
  });
});
