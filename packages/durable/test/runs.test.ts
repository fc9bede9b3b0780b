import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createRun,
  definePrompt,
  reduceAll,
  remotePrompt,
  type PromptDefinition,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, inProcessDriver, type DurableOptions } from '@cueline/durable';
import * as z from 'zod';
import { UNKNOWN_PROMPT_MS } from '../src/unknown-prompts.ts';
import { planned, sendLetter, writePages, type Effects } from './support/prompts.ts';

function createEffects(): Effects & { noted: string[] } {
  const noted: string[] = [];
  return { noted, note: (what) => void noted.push(what) };
}

test('the same job delivered twice, at once or later: nothing happens twice', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects, { ms: 5 });
  const durable = createDurable({ prompts: [prompt], store });
  const start = { prompt: prompt.name, input: { book: 'Emma' } };
  await store.create({ runId: 'run-1', start });
  const { signal } = new AbortController();
  const job = async (): Promise<void> => {
    for (let status = 'next'; status === 'next';) ({ status } = await durable.advance('run-1', signal));
  };
  await job();
  await Promise.all([job(), job()]);
  expect(await durable.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await durable.advance('no such run', signal)).toEqual({ status: 'done' });
  expect(effects.noted.filter((each) => each.startsWith('write'))).toHaveLength(3);
});

test('a worker whose run another worker has taken over stops and stores nothing more', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  let writes = 0;
  let comeBack = (): void => {};
  const away = new Promise<void>((resolve) => (comeBack = resolve));
  // this worker is away in the middle of its first step
  const frozen: typeof store = {
    ...store,
    async append(...given) {
      if ((writes += 1) === 3) await away;
      return store.append(...given);
    },
  };
  const one = createDurable({ prompts: [prompt], store: frozen });
  const two = createDurable({ prompts: [prompt], store });
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const { signal } = new AbortController();
  const first = one.advance('run-1', signal);
  await expect.poll(() => writes).toBe(3);
  for (let status = 'next'; status === 'next';) ({ status } = await two.advance('run-1', signal));
  comeBack();
  expect(await first).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  for (const page of [0, 1, 2]) {
    expect(effects.noted.filter((each) => each === `write Emma ${page}`).length).toBeLessThanOrEqual(1);
  }
});

test('a prompt that a deployment has removed ends its run after a day, with an error that says so', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'gone' } });
  const durable = createDurable({ prompts: [], store });
  const { signal } = new AbortController();
  await expect(durable.advance('run-1', signal)).rejects.toThrow('"gone", which this worker does not know');
  vi.advanceTimersByTime(UNKNOWN_PROMPT_MS - 1);
  await expect(durable.advance('run-1', signal)).rejects.toMatchObject({ code: 'invalid_definition' });
  expect(await store.read('run-1', -1)).toMatchObject({ events: [] });
  vi.advanceTimersByTime(1);
  expect(await durable.advance('run-1', signal)).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.at(-1)).toMatchObject({
    type: 'run-end',
    outcome: 'error',
    error: { message: expect.stringContaining('"gone" does not exist any more') },
  });
});

test('a worker that does not know the prompt takes its run over from no other worker', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  const prompt = writePages(createEffects());
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const [old, current] = [[], [prompt]].map((prompts) => createDurable({ prompts, store }));
  const { signal } = new AbortController();
  const fails = async (): Promise<void> => {
    await expect(old!.advance('run-1', signal)).rejects.toThrow('does not know');
  };
  await fails();
  const claimed = await store.claim('run-1', -1);
  await fails();
  // its worker could store something
  expect(await store.append('run-1', (claimed as { epoch: number }).epoch, [])).toBe(true);
  // each step of another worker is a reason to leave it to others for as long again
  for (let steps = 0; steps < 3; steps += 1) {
    vi.advanceTimersByTime(UNKNOWN_PROMPT_MS);
    expect(await current!.advance('run-1', signal)).toEqual({ status: 'next' });
    await fails();
  }
  expect(await current!.advance('run-1', signal)).toEqual({ status: 'done' });
  expect(await old!.advance('run-1', signal)).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
});

/** A run that waits for an approval, its worker, and one that does not know its prompt, with a clock that the test sets. */
async function waitingRun() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const prompt = sendLetter(createEffects());
  const store = createMemoryStore();
  const current = createDurable({ prompts: [prompt], store });
  const old = createDurable({ prompts: [], store });
  const { signal } = new AbortController();
  const { runId } = await current.begin({ definition: prompt, input: undefined });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
  return {
    runId,
    current,
    old,
    signal,
    /** Approves through the worker that does not know the prompt. */
    async approve() {
      const [approval] = reduceAll((await current.read(runId, -1))?.events ?? []).approvals;
      const command = { type: 'approval-response', approvalId: approval?.approvalId ?? '' } as const;
      await old.respond(runId, { ...command, response: { approved: true } });
    },
  };
}

test('a run of an unknown prompt that waits keeps waiting, and its response is left to other workers, too', async () => {
  const { runId, current, old, signal, approve } = await waitingRun();
  vi.advanceTimersByTime(UNKNOWN_PROMPT_MS);
  expect(await old.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  await approve();
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
  while ((await current.advance(runId, signal)).status === 'next');
  expect(reduceAll((await current.read(runId, -1))?.events ?? [])).toMatchObject({
    status: 'done',
    result: 'Sent.',
  });
});

test('a response to a run of an unknown prompt that waited for days is left to other workers, too', async () => {
  const { runId, old, signal, approve } = await waitingRun();
  vi.advanceTimersByTime(2 * UNKNOWN_PROMPT_MS);
  await approve();
  await expect(old.advance(runId, signal)).rejects.toThrow('does not know');
});

test('a run of an unknown prompt that waits takes no edit, which stays for a worker that knows the prompt', async () => {
  const prompt = sendLetter(createEffects());
  const store = createMemoryStore();
  const current = createDurable({ prompts: [prompt], store });
  const old = createDurable({ prompts: [], store, unknownPromptMs: 0 });
  const { signal } = new AbortController();
  const { runId } = await current.begin({ definition: prompt, input: undefined });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  const add = { type: 'edit', edit: { type: 'add', title: 'Greet' } } as const;
  expect(await old.respond(runId, add)).toEqual({ accepted: true });
  expect(await old.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  expect(await store.commands(runId)).toMatchObject([{ command: add }]);
  expect(await store.read(runId, -1)).toMatchObject({ ended: false });
  expect(await current.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  expect(await store.commands(runId)).toEqual([]);
  // a stop still ends it at once
  await old.respond(runId, { type: 'stop' });
  expect(await old.advance(runId, signal)).toEqual({ status: 'done' });
});

test('how long a run of an unknown prompt is left to other workers is an option', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'gone' } });
  const { signal } = new AbortController();
  const [never, soon] = [Infinity, 60_000].map((unknownPromptMs) =>
    createDurable({ prompts: [], store, unknownPromptMs }),
  );
  await expect(never!.advance('run-1', signal)).rejects.toThrow('does not know');
  await expect(soon!.advance('run-1', signal)).rejects.toThrow('ends after 60000 ms');
  vi.advanceTimersByTime(1e15);
  await expect(never!.advance('run-1', signal)).rejects.toThrow('does not know');
  expect(await soon!.advance('run-1', signal)).toEqual({ status: 'done' });
});

test('a run of an unknown prompt can be stopped at once', async () => {
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: 'new' } });
  const durable = createDurable({ prompts: [], store });
  await durable.respond('run-1', { type: 'stop' });
  expect(await durable.advance('run-1', new AbortController().signal)).toEqual({ status: 'done' });
  const { events = [] } = (await store.read('run-1', -1)) ?? {};
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
});

test('texts that Postgres cannot keep are refused before a store sees them', async () => {
  const prompt = sendLetter(createEffects());
  const store = createMemoryStore();
  const durable = createDurable({ prompts: [prompt], store });
  const request = { definition: prompt, input: undefined };
  const { signal } = new AbortController();
  for (const text of ['nul \0', 'half \ud800']) {
    for (const call of [
      () => durable.begin({ ...request, key: text }),
      () => durable.begin(request, { subject: text }),
      () => durable.begin(request, { subject: 'ada', chat: text }),
      () => durable.begin(request, undefined, text),
      () => durable.find({ runId: text }),
      () => durable.find({ key: text }),
      () => durable.find({ subject: 'ada', chat: text }),
      () => durable.read(text, -1),
      () => durable.wake(text),
      () => durable.respond(text, { type: 'stop' }),
      () => durable.advance(text, signal),
      async () => durable.watch(text, -1, signal),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'invalid_input' });
    }
  }
  expect(await store.unfinished()).toEqual([]);
});

test('mistakes of a start are said before anything is stored', async () => {
  const store = createMemoryStore();
  const effects = createEffects();
  const prompt = sendLetter(effects);
  const nameless = { ...prompt, name: '' } as PromptDefinition<void>;
  expect(() => createDurable({ prompts: [nameless], store })).toThrow('has no name');
  expect(() => createDurable({ prompts: [prompt, prompt], store })).toThrow('Two prompts are named');
  expect(() => createDurable({ prompts: [remotePrompt('far')], store })).toThrow('is a remotePrompt');
  const durable = createDurable({ prompts: [prompt], store });
  const other = createRun(writePages(effects), { executor: durable.executor });
  await expect(other.start({ book: 'Emma' })).rejects.toThrow('not among those');
  const unnamed = createRun(prompt, { executor: durable.executor, model: planned(['x']) });
  await expect(unnamed.start()).rejects.toThrow("Name it, { model: 'openai:gpt-4o' }");
  expect(await store.unfinished()).toEqual([]);
});

test('a response whose sender failed to wake its run wakes it when it is sent again', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const inner = inProcessDriver();
  let away = false;
  const driver: typeof inner = {
    work: (advance) => inner.work(advance),
    async wake(runId) {
      if (away) throw new Error('The engine is away.');
      await inner.wake(runId);
    },
  };
  const durable = createDurable({ prompts: [prompt], store, driver });
  const worker = await durable.work();
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
  const command = { type: 'approval-response', approvalId, response: { approved: true } } as const;
  away = true;
  await expect(durable.respond(run.getState().runId, command)).rejects.toThrow('away');
  away = false;
  const { runId } = run.getState();
  expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  expect(await result).toBe('Sent.');
  // it is in the log by now
  expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  const other = { ...command, response: { approved: false } } as const;
  expect(await durable.respond(runId, other)).toMatchObject({ accepted: false });
  await worker.stop();
});

test('a response in the log whose run was not woken wakes it when it is sent again', async () => {
  const store = createMemoryStore();
  const prompt = sendLetter(createEffects());
  const woken: string[] = [];
  const driver = {
    wake: async (runId: string) => void woken.push(runId),
    work: () => ({ stop: async () => {} }),
  };
  const durable = createDurable({ prompts: [prompt], store, driver });
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  expect(await durable.advance(runId, new AbortController().signal)).toMatchObject({ status: 'waiting' });
  const { events = [] } = (await durable.read(runId, -1)) ?? {};
  const [{ approvalId } = { approvalId: '' }] = reduceAll(events).approvals;
  const response = { approved: true, input: { to: 'Eve', cc: null } } as const;
  const command = { type: 'approval-response', approvalId, response } as const;
  const claimed = (await store.claim(runId, -1)) as { epoch: number };
  const answered = { seq: events.length, t: 1, type: 'approval-response', approvalId, response } as RunEvent;
  expect(await store.append(runId, claimed.epoch, [answered])).toBe(true);
  woken.length = 0;
  const same = { ...command, response: { input: { cc: null, to: 'Eve' }, approved: true } } as const;
  expect(await durable.respond(runId, same)).toEqual({ accepted: true });
  expect(woken).toEqual([runId]);
  const other = { ...command, response: { approved: true } } as const;
  expect(await durable.respond(runId, other)).toMatchObject({ accepted: false });
});

test('what is no response is refused with the reason, and a response may still come', async () => {
  const prompt = sendLetter(createEffects());
  const durable = createDurable({ prompts: [prompt], store: createMemoryStore() });
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  await durable.advance(runId, new AbortController().signal);
  const [approval] = reduceAll((await durable.read(runId, -1))?.events ?? []).approvals;
  const command = { type: 'approval-response', approvalId: approval?.approvalId ?? '' } as const;
  const broken = { ...command, response: { approved: 'yes' } as never };
  expect(await durable.respond(runId, broken)).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('not a response to an approval'),
  });
  expect(await durable.respond(runId, { ...command, response: { approved: true } })).toEqual({
    accepted: true,
  });
});

test('a log that is not whole is not continued, and the error says where it breaks off', async () => {
  const inner = createMemoryStore();
  const prompt = writePages(createEffects());
  const settings: DurableOptions = {
    prompts: [prompt],
    store: {
      ...inner,
      async claim(runId, afterSeq) {
        const claimed = await inner.claim(runId, afterSeq);
        if (typeof claimed !== 'object') return claimed;
        return { ...claimed, events: claimed.events.filter(({ seq }) => seq !== 3) };
      },
    },
  };
  const durable = createDurable(settings);
  await inner.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const { signal } = new AbortController();
  await durable.advance('run-1', signal);
  // another worker, which knows nothing of the run
  await expect(createDurable(settings).advance('run-1', signal)).rejects.toThrow(
    'Event 3 of run run-1 is missing',
  );
});

test.each(['this', 'another'])(
  'a stop in %s process ends the step under way: no tool begins after it',
  async (where) => {
    const effects = createEffects();
    const prompt = definePrompt(
      'slow',
      (letter) => {
        letter.$`Send it.`;
        letter.defTool('send', 'Send', z.object({}), () => effects.note('send'), { effect: 'external' });
      },
      {
        model: scriptedModel([
          [{ text: 'I send' }, { delay: 3_000 }, { toolCall: { name: 'send', input: {} } }],
        ]),
      },
    );
    const store = createMemoryStore();
    const here = createDurable({ prompts: [prompt], store });
    const worker = await here.work();
    onTestFinished(() => worker.stop());
    const run = createRun(prompt, { executor: here.executor });
    const seen = run.start().catch(() => {});
    await expect.poll(() => run.log().some(({ type }) => type === 'text-delta')).toBe(true);
    const { runId } = run.getState();
    const stopper = where === 'this' ? here : createDurable({ prompts: [prompt], store });
    expect(await stopper.respond(runId, { type: 'stop' })).toEqual({ accepted: true });
    await seen;
    expect(run.getState().status).toBe('stopped');
    const stored = (await here.read(runId, -1))?.events ?? [];
    expect(stored.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(effects.noted).toEqual([]);
  },
);

test('a store that has lost events has the step done again from what it has', async () => {
  const effects = createEffects();
  const store = createMemoryStore();
  const prompt = writePages(effects);
  let refuses = 1;
  const forgetful: typeof store = {
    ...store,
    async append(runId, epoch, events) {
      if (events.some(({ type }) => type === 'step-end') && refuses-- > 0) return false;
      return store.append(runId, epoch, events);
    },
  };
  const errors: unknown[] = [];
  const driver = inProcessDriver({ onError: (error) => void errors.push(error) });
  const durable = createDurable({ prompts: [prompt], store: forgetful, driver });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  const run = createRun(prompt, { executor: durable.executor });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
  expect(errors).toMatchObject([{ code: 'storage_failed' }]);
});

test('a limit of Infinity is none, in each process', async () => {
  const prompt = writePages(createEffects());
  const durable = createDurable({
    prompts: [prompt],
    store: createMemoryStore(),
    options: { limits: { steps: 2 } },
  });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  const run = createRun(prompt, { executor: durable.executor, options: { limits: { steps: Infinity } } });
  expect(await run.start({ book: 'Emma' })).toBe('Written.');
});

test('work that cannot begin, because the store is away, leaves no worker behind', async () => {
  const store = createMemoryStore();
  let stopped = 0;
  const durable = createDurable({
    prompts: [],
    store: { ...store, unfinished: () => Promise.reject(new Error('The store is away.')) },
    driver: { wake: async () => {}, work: () => ({ stop: async () => void (stopped += 1) }) },
  });
  await expect(durable.work()).rejects.toThrow('The store is away.');
  expect(stopped).toBe(1);
});
