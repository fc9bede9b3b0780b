import { CuelineError, definePrompt, inProcess, viaRoute, type Executor } from '@cueline/core';
import { PromptTransport, type RunIds } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { answered, keptRunIds, listening, PlainChat, textOf } from '../support/chat.ts';
import { createHub } from '../support/memory-route.ts';
import { after } from '../support/runs.ts';

const talk = definePrompt('talk', (prompt) => prompt.defSystem('role', 'You are brief.'));
const endless: ScriptedTurn = [{ text: 'Well' }, { delay: 60_000 }];
const key = 'cueline:chat:c';

/** The chat `c` in a page of its own. What another page does with the ids of runs is lost once this one is gone. */
function openPage(executor: Executor, runIds: RunIds) {
  let isGone = false;
  const own: RunIds = {
    getItem: (name) => runIds.getItem(name),
    setItem: (name, value) => (isGone ? undefined : runIds.setItem(name, value)),
    removeItem: (name) => (isGone ? undefined : runIds.removeItem(name)),
  };
  // all that a page has is made anew by a reload
  const definition = definePrompt('talk', talk.run);
  const transport = new PromptTransport(definition, { executor, runIds: own });
  return { chat: new PlainChat({ id: 'c', transport }), leave: () => void (isGone = true) };
}

/** An executor that notes which runs it is asked for, and whether only to stop them. */
function noting(executor: Executor) {
  const attached: unknown[] = [];
  const noted: Executor = {
    ...executor,
    attach(runId, afterSeq, signal) {
      attached.push([runId, afterSeq, signal.aborted]);
      return executor.attach?.(runId, afterSeq, signal);
    },
  };
  return { executor: noted, attached };
}

/** The chat's first answer, in a page that is left in the middle of it. */
async function left(executor: Executor, runIds: RunIds): Promise<void> {
  const { chat, leave } = openPage(executor, runIds);
  void chat.sendMessage({ text: 'Count.' });
  await expect.poll(() => textOf(chat.messages[1])).toBe('Well');
  leave();
}

test('After a reload, a new message stops the run on a route that is still in progress', async () => {
  const { kept, runIds } = keptRunIds();
  const model = scriptedModel([endless, 'Two.']);
  const { fetch, asked, runs } = createHub(talk, { model });
  const executor = viaRoute('https://example.test/api/talk', { fetch });
  await left(executor, runIds);
  const [first] = runs.keys();
  expect(kept.get(key)).toBe(first);

  const { chat } = openPage(executor, runIds);
  await chat.sendMessage({ text: 'Something else.' });
  await answered(chat, 'Two.');
  await expect.poll(() => model.calls[0]?.abortSignal?.aborted).toBe(true);
  const ends = [...runs.values()].map(({ log }) => log.getState().status);
  expect(ends).toEqual(['stopped', 'done']);
  expect(asked().toSorted()).toEqual(['DELETE', 'POST', 'POST']);
  expect(kept.size).toBe(0);
});

test('After a reload, a new message stops the run of any executor that knows it', async () => {
  const { kept, runIds } = keptRunIds();
  const model = scriptedModel([endless, [{ text: 'Two' }, { delay: 500 }, { text: '.' }]]);
  const inner = inProcess();
  const withModel: Executor = {
    ...inner,
    start: (request, signal) => inner.start({ ...request, model }, signal),
  };
  const { executor, attached } = noting(withModel);
  await left(executor, runIds);
  const before = kept.get(key);

  const { chat } = openPage(executor, runIds);
  void chat.sendMessage({ text: 'Something else.' });
  await expect.poll(() => textOf(chat.messages.at(-1))).toBe('Two');
  expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  expect(attached).toEqual([[before, -1, true]]);
  // a further reload finds the new run
  expect(kept.get(key)).toMatch(/./);
  expect(kept.get(key)).not.toBe(before);
  await answered(chat, 'Two.');
  expect(kept.size).toBe(0);
});

test('A chat without a stored run asks the executor for none', async () => {
  const model = scriptedModel(['One.', 'Two.', 'Three.', 'Four.']);
  for (const runIds of [undefined, keptRunIds().runIds]) {
    const executor: Executor = { ...listening(), attach: () => expect.unreachable() };
    const transport = new PromptTransport(definePrompt('talk', talk.run), { executor, model, runIds });
    const chat = new PlainChat({ id: 'c', transport });
    await chat.sendMessage({ text: 'Count.' });
    await chat.sendMessage({ text: 'Go on.' });
    expect(chat.error).toBeUndefined();
  }
  expect(model.calls).toHaveLength(4);
});

test('A run that this page has started is stopped, and the executor is asked for none', async () => {
  const { runIds } = keptRunIds();
  const model = scriptedModel([endless, 'Two.']);
  const executor: Executor = { ...listening(), attach: () => expect.unreachable() };
  const chat = new PlainChat({
    id: 'c',
    transport: new PromptTransport(definePrompt('talk', talk.run), {
      executor,
      model,
      runIds,
      onAbort: 'detach',
    }),
  });
  void chat.sendMessage({ text: 'Count.' });
  await expect.poll(() => textOf(chat.messages[1])).toBe('Well');
  await chat.stop();
  await chat.sendMessage({ text: 'Something else.' });
  await answered(chat, 'Two.');
  expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
});

test.each<[string, Executor['attach']]>([
  ['cannot attach to runs', undefined],
  ['no longer knows it', () => undefined],
  [
    'cannot be reached',
    // eslint-disable-next-line require-yield -- it fails before it has anything to say
    async function* () {
      throw new CuelineError('network', 'No.');
    },
  ],
  ['does not answer', () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })],
])(
  'A new message after a reload is answered although the executor of the earlier run %s',
  async (_, attach) => {
    const { kept, runIds } = keptRunIds();
    kept.set(key, 'run-before');
    const { start } = inProcess();
    const transport = new PromptTransport(definePrompt('talk', talk.run), {
      executor: { start, ...(attach === undefined ? {} : { attach }) },
      model: scriptedModel(['Two.']),
      runIds,
    });
    const chat = new PlainChat({ id: 'c', transport });
    await chat.sendMessage({ text: 'Something else.' });
    await answered(chat, 'Two.');
    expect(kept.size).toBe(0);
  },
);

test('A message that is sent while the page looks for the earlier run begins the next run, which is kept', async () => {
  const { kept, runIds } = keptRunIds();
  const model = scriptedModel([endless, [{ text: 'Two' }, { delay: 400 }, { text: '.' }]]);
  const { fetch, runs } = createHub(talk, { model });
  const slowly: typeof fetch = async (request) => {
    if (request.method === 'GET') await after(100);
    return fetch(request);
  };
  const executor = viaRoute('https://example.test/api/talk', { fetch: slowly });
  await left(executor, runIds);
  const { chat } = openPage(executor, runIds);
  void chat.resumeStream();
  await after(10);
  void chat.sendMessage({ text: 'Something else.' });
  await expect.poll(() => textOf(chat.messages.at(-1))).toBe('Two');
  await after(200);
  expect(kept.get(key)).toBe([...runs.keys()][1]);
  await answered(chat, 'Two.');
  expect([...runs.values()].map(({ log }) => log.getState().status)).toEqual(['stopped', 'done']);
});
