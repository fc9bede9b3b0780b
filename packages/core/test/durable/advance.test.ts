import { setTimeout } from 'node:timers/promises';
import {
  createRun,
  definePrompt,
  inProcess,
  reduceAll,
  tool,
  type PromptDefinition,
  type RunEvent,
} from '@cueline/core';
import { decodeLog, encodeLog } from '@cueline/core/link';
import type { ScriptedTurn } from '@cueline/core/testing';
import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { calls, throwing } from '../support.ts';
import { modelOf, type Answer } from '../support/any-answer.ts';
import { ask, bookTrip, sendTwo, tasks, trip, turnsOfTask, type Done } from '../support/durable-prompts.ts';
import {
  createStore,
  planned,
  stateOf,
  work,
  workerFor,
  workToEnd,
  type Worker,
} from '../support/durable-runs.ts';

test('advance makes one model call each time, and ends in the same state as one process', async () => {
  const done: Done = [];
  const worker = workerFor(bookTrip(done), trip);
  expect(await work(worker)).toEqual({ status: 'next' });
  expect(await work(worker)).toEqual({ status: 'next' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(done).toEqual(['book 7', 'book 8']);

  const run = createRun(bookTrip([]) as unknown as PromptDefinition<void>, { model: planned(trip) });
  await run.start();
  const inOneProcess = run.getState();
  const state = stateOf(worker.store);
  expect(state).toMatchObject({ status: 'done', result: 'Booked.', runId: 'run-1' });
  expect(state.messages.at(-1)?.parts).toEqual(inOneProcess.messages.at(-1)?.parts);
  expect(state.usage).toEqual(inOneProcess.usage);
  expect(state.steps.map(({ request }) => request)).toEqual(inOneProcess.steps.map(({ request }) => request));
});

test('the log grows only by what is new in a step, as in one process', async () => {
  const worker = workerFor(bookTrip([]), trip);
  await workToEnd(worker);
  const { events } = worker.store;
  const changes = events.flatMap((event) => (event.type === 'step-start' ? [event.request] : []));
  expect(changes.map(({ keep, messages }) => [keep, messages.length])).toEqual([
    [0, 1],
    [1, 2],
    [3, 2],
  ]);
  expect(changes[2]).not.toHaveProperty('tools');
  expect(events.filter(({ type }) => type === 'variable-set')).toHaveLength(1);
});

test('a task list sends the same at each step as in one process', async () => {
  const messages: UIMessage[] = [{ id: 'turn', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  const worker = workerFor(tasks([]), turnsOfTask, { messages });
  await workToEnd(worker);
  const events: RunEvent[] = [];
  const start = {
    definition: tasks([]) as unknown as PromptDefinition<undefined>,
    input: undefined,
    model: planned(turnsOfTask),
    messages,
  };
  for await (const event of inProcess().start(start, new AbortController().signal)) events.push(event);
  const [durable, inOneProcess] = [stateOf(worker.store), reduceAll(events)].map(({ steps }) =>
    // a text is the same, alone or as the only part
    steps.map(({ request }) =>
      request.messages.map(({ role, content }) => ({
        role,
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      })),
    ),
  );
  expect(durable).toHaveLength(6);
  expect(durable).toEqual(inOneProcess);
});

const search = (city: string): ScriptedTurn => calls(['search', { city }]);
const sameCity = Array.from({ length: 20 }, () => search('Faro'));
const cities = Array.from({ length: 20 }, (_, index) => search(`City ${index}`));

test.each<[string, ScriptedTurn[], Worker['options'], steps: number, end: object]>([
  ['the loop guard', sameCity, {}, 6, { status: 'error', error: { code: 'loop_detected' } }],
  [
    'a limit',
    cities,
    { limits: { steps: 4 } },
    4,
    { status: 'error', error: { code: 'budget_exceeded', details: { limit: 'steps', allowed: 4 } } },
  ],
  ['stopWhen', cities, { stopWhen: ({ steps }) => steps.length === 3 }, 3, { status: 'done' }],
])('%s applies across processes', async (_what, turns, options, steps, end) => {
  const worker = workerFor(bookTrip([]), turns, { options });
  await workToEnd(worker);
  expect(stateOf(worker.store)).toMatchObject(end);
  expect(stateOf(worker.store).steps).toHaveLength(steps);
});

test('the time limit of a run counts the steps of earlier processes', async () => {
  const nap = definePrompt('nap', (prompt) => {
    prompt.$`Sleep.`;
    prompt.defTool('sleep', 'Sleep', z.object({ night: z.number() }), () => setTimeout(600, 'slept'));
  });
  const nights = [1, 2, 3].map((night) => calls(['sleep', { night }]));
  const worker = workerFor(nap, nights, { options: { timeout: { totalMs: 1_000 } } });
  expect(await work(worker)).toEqual({ status: 'next' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(stateOf(worker.store)).toMatchObject({
    error: { code: 'timeout', details: { phase: 'total', ms: 1_000 } },
  });
});

test('the calls inside a call count as often as in one process', async () => {
  const kit = definePrompt('kit', (prompt) => {
    prompt.$`Work.`;
    const act = tool('act', 'Act', z.object({ on: z.number() }), ({ on }) => on);
    prompt.defTool('kit', 'A kit', [act]);
  });
  const parts = [1, 2, 3].map((on) => calls(['kit', { calls: [{ name: 'act', args: { on } }] }]));
  const worker = workerFor(kit, [...parts, 'Done.'], { options: { limits: { toolCalls: 4 } } });
  await workToEnd(worker);
  expect(stateOf(worker.store)).toMatchObject({ status: 'done', result: 'Done.' });
});

test.each(['read', 'external'] as const)(
  'a call of a tool that ends its process each time starts five times, and the model reads that (effect: %s)',
  async (effect) => {
    let started = 0;
    const prompt = definePrompt('deadly', (own) => {
      own.$`Convert it.`;
      const convert = (): string => {
        started += 1;
        // nothing is stored from here on, as if the process were gone
        worker.store.failsAt = worker.store.events.length;
        return 'converted';
      };
      own.defTool('convert', 'Convert', z.object({}), convert, { effect, idempotent: true });
    });
    const worker = workerFor(prompt, [
      [{ toolCall: { name: 'convert', input: {} } }],
      'It cannot be converted.',
    ]);
    for (let crashes = 0; (await work(worker)).status !== 'done'; crashes += 1) {
      expect(crashes).toBeLessThan(20);
      worker.store.failsAt = Infinity;
    }
    const { result, toolCalls } = stateOf(worker.store) as { result?: unknown; toolCalls: unknown[] };
    expect([started, result]).toEqual([5, 'It cannot be converted.']);
    expect(toolCalls).toMatchObject([
      { state: 'output-error', errorText: expect.stringMatching(/started 5 times/) as string },
    ]);
  },
);

test('a run continues with another version of the prompt, in which a tool is gone and a text has changed', async () => {
  const done: Done = [];
  const store = createStore();
  store.failsAt = 8;
  await work({ store, definition: bookTrip(done), model: () => planned(trip) });
  store.failsAt = Infinity;
  const changed = definePrompt('bookTrip', (prompt) => {
    prompt.$`Book a trip, new version.`;
  });
  await workToEnd({ store, definition: changed, model: () => planned([...trip.slice(0, 1), 'No trains.']) });
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'No trains.' });
  expect(JSON.stringify(state.steps.at(-1)?.request.messages)).toContain('new version');
});

test('the log of a run that failed to start has its error', async () => {
  const broken = definePrompt('broken', throwing(new Error('No city is known.')));
  const worker = workerFor(broken, []);
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(stateOf(worker.store)).toMatchObject({ status: 'error', runId: 'run-1' });
});

test.each<[string, object]>([
  ['a text whose state is a number', { type: 'text', text: 'Hi.', state: 0 }],
  ['a file without a name', { type: 'file', mediaType: 'text/plain', url: 'data:,a', filename: null }],
  ['a file without a type', { type: 'file', url: 'data:,a' }],
])('a run ends with an error if a message has %s', async (_what, part) => {
  const messages = [{ id: 'turn', role: 'user', parts: [part] }] as UIMessage[];
  const worker = workerFor(bookTrip([]), trip, { messages });
  expect(await work(worker)).toEqual({ status: 'done' });
  // the next process can read the log
  expect(await work(worker)).toEqual({ status: 'done' });
  const { status, runId, error } = stateOf(worker.store);
  expect({ status, runId, code: error?.code }).toEqual({
    status: 'error',
    runId: 'run-1',
    code: 'invalid_options',
  });
});

test('a run ends with an error if the model returns something that the log cannot hold', async () => {
  const custom = { type: 'custom', kind: 7 };
  const model = modelOf([[{ type: 'text-start', id: 't' }, custom] as unknown as Answer]);
  const worker: Worker = { store: createStore(), definition: bookTrip([]), model: () => model };
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(stateOf(worker.store)).toMatchObject({ status: 'error', error: { code: 'storage_failed' } });
});

test.each([
  ['before it begins', 0],
  ['while it waits for approvals', 1],
])('a run can be stopped %s', async (_when, advances) => {
  const worker = workerFor(ask([]), sendTwo);
  for (let count = 0; count < advances; count += 1) {
    expect(await work(worker)).toMatchObject({ status: 'waiting' });
  }
  expect(await work(worker, [{ type: 'stop' }])).toEqual({ status: 'done' });
  expect(stateOf(worker.store)).toMatchObject({ status: 'stopped', runId: 'run-1' });
});

test('every event of an advanced run passes the checks of a log', async () => {
  const worker = workerFor(bookTrip([]), trip);
  await workToEnd(worker);
  const { events } = worker.store;
  expect(decodeLog(encodeLog(events))).toHaveLength(events.length);
});

const wrong = '{"town":"Faro"}';

test.each([
  ['fits', '{"city":"Faro"}', { status: 'done', result: { city: 'Faro' } }],
  ['does not fit, either', wrong, { status: 'error', error: { code: 'parse_failed' } }],
])(
  'an answer that does not fit its schema is corrected across processes as often as in one: the third %s',
  async (_what, third, end) => {
    const definition = definePrompt('city', (prompt) => prompt.$`Name a city.`, {
      output: z.object({ city: z.string() }),
    });
    const worker = workerFor(definition, [wrong, wrong, third, wrong]);
    expect(await workToEnd(worker)).toBe(3);
    expect(stateOf(worker.store)).toMatchObject(end);
    expect(stateOf(worker.store).steps).toHaveLength(3);
  },
);
