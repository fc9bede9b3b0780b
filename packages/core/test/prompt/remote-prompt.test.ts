import {
  createRun,
  definePrompt,
  dryRun,
  inProcess,
  remotePrompt,
  runPrompt,
  viaRoute,
  type PromptDefinition,
} from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { PlainChat } from '../support/chat.ts';
import { createHub } from '../support/memory-route.ts';
import { atOnce } from '../support/runs.ts';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});
const remote = remotePrompt<typeof greet>('greet');
const sentence =
  'Prompt "greet" is a remotePrompt, which runs on a server. Give the run an executor, { executor: viaRoute(\'/api/greet\') }, or import the definition itself to run it here.';

test('runs on a server by its name', async () => {
  expect({ ...remote, run: undefined }).toEqual({
    kind: 'prompt',
    name: 'greet',
    remote: true,
    run: undefined,
  });
  const model = scriptedModel(['Hello Ada!', 'Bye.']);
  const hub = createHub(greet, { model });
  const run = createRun(remote, { executor: hub.executor, schedule: atOnce });
  expect(await run.start({ name: 'Ada' })).toBe('Hello Ada!');
  expect(hub.bodies[0]).toMatchObject({ prompt: 'greet', input: { name: 'Ada' } });
  expect(await run.send('Bye?')).toBe('Bye.');
});

test('works in a stock chat', async () => {
  const { executor } = createHub(greet, { model: scriptedModel(['Hello Ada!']) });
  const chat = new PlainChat({
    transport: new PromptTransport(remote, { executor, input: { name: 'Ada' } }),
  });
  await chat.sendMessage({ text: 'Hi.' });
  expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Hello Ada!' });
});

test('is an error in this process, before the run and without a model call', async () => {
  const input = { name: 'Ada' };
  const expected = { code: 'invalid_options', message: sentence };
  await expect(runPrompt(remote, { input })).rejects.toMatchObject(expected);
  await expect(dryRun(remote, { input })).rejects.toMatchObject(expected);
  const model = scriptedModel([]);
  const run = createRun(remote, { executor: inProcess(), model, schedule: atOnce });
  await expect(run.start(input)).rejects.toMatchObject(expected);
  expect(run.log().map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  expect(model.calls).toHaveLength(0);
  const chat = new PlainChat({ transport: new PromptTransport(remote, { input, model }) });
  await chat.sendMessage({ text: 'Hi.' });
  expect(chat.error?.message).toBe(sentence);
  expect(() => remote.run(undefined as never, input)).toThrow(
    'runs on a server only: start it with viaRoute(…)',
  );
});

test('needs a name', () => {
  expect(() => remotePrompt<typeof greet>('')).toThrow('A remote prompt needs a name');
  expect(() => remotePrompt<typeof greet>(undefined as never)).toThrow(
    "remotePrompt<typeof planDay>('plan-day')",
  );
});

test.each<[NonNullable<PromptDefinition['inline']>, string]>([
  ['usePrompt', 'usePrompt was given a function, but a route only runs prompts that it knows by name.'],
  ['useTaskList', 'useTaskList was given tasks, which makes a prompt in the page'],
])('the prompt that %s makes in a component cannot be sent to a server', async (inline, words) => {
  let asked = 0;
  const executor = viaRoute('https://example.test/', {
    fetch: () => {
      asked += 1;
      return Promise.resolve(new Response());
    },
  });
  const run = createRun({ ...greet, inline }, { executor, schedule: atOnce });
  await expect(run.start({ name: 'Ada' })).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining(words),
  });
  expect(run.getState()).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining('remotePrompt<typeof') },
  });
  expect(asked).toBe(0);
});
