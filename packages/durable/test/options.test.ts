import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, inProcessDriver } from '@cueline/durable';
import { expect, onTestFinished, test } from 'vitest';

// the compiler checks it too: options that depend on the environment would need a cast under exactOptionalPropertyTypes
test('an option that is undefined has its default', async () => {
  const prompt = definePrompt('hello', (builder) => builder.$`Hello.`, { model: scriptedModel(['Hi.']) });
  const durable = createDurable({
    prompts: [prompt],
    store: createMemoryStore(),
    driver:
      'cluster' in globalThis ? inProcessDriver({ concurrency: undefined, graceMs: undefined }) : undefined,
    models: undefined,
    options: undefined,
  });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  expect(await createRun(prompt, { executor: durable.executor }).start()).toBe('Hi.');
});
