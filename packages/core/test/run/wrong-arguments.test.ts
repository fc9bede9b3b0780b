import { createRun, definePlugin, definePrompt, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

test.each<[object, string]>([
  [{ whenBsy: 'queue' }, 'The run of "greet" takes no "whenBsy" when it starts. Did you mean whenBusy?'],
  [
    { abortSignal: 1 },
    'The run of "greet" takes no "abortSignal" when it starts. It is now signal: { signal: controller.signal }.',
  ],
  [
    { id: 'a' },
    'The run of "greet" takes no "id" when it starts. Pass it to createRun or usePrompt: { id: … }.',
  ],
  [
    { seed: 1 },
    'The run of "greet" takes no "seed" when it starts. Pass it to createRun or usePrompt: { options: { seed: … } }.',
  ],
  [{ often: 1 }, 'The run of "greet" takes no "often" when it starts. There are: key, whenBusy, signal.'],
])(
  'a start or a message with the option %j is an error that says what to write',
  async (options, message) => {
    const model = scriptedModel(['Hello.']);
    const run = createRun(greet, { model });
    await expect(run.start(undefined, options)).rejects.toMatchObject({ code: 'invalid_options', message });
    await expect(run.send('And?', options)).rejects.toMatchObject({ code: 'invalid_options', message });
    expect(run.getState()).toMatchObject({ status: 'error', error: { message } });
    expect(model.calls).toHaveLength(0);
  },
);

test.each([new AbortController(), null, true])('options.abortSignal cannot be %j', async (abortSignal) => {
  const config = { model: scriptedModel(['Hello.']), options: { abortSignal: abortSignal as never } };
  const error = {
    code: 'invalid_options',
    message: expect.stringContaining('not an AbortSignal. Write { abortSignal: controller.signal }.'),
  };
  await expect(runPrompt(greet, config)).rejects.toMatchObject(error);
  await expect(createRun(greet, config).start()).rejects.toMatchObject(error);
});

test.each([undefined, null, { name: 'terms' }, { setup: () => {} }])(
  'definePlugin(%j) says what to write',
  (plugin) => {
    expect(() => definePlugin(plugin as never)).toThrow(
      "definePlugin({ name: 'glossary', setup(prompt) { … } })",
    );
  },
);
