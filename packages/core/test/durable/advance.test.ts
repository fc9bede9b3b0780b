import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  createRun,
  definePrompt,
  inProcess,
  reduceAll,
  type PromptDefinition,
  type RunEvent,
} from '@cueline/core';
import { decodeLog, encodeLog } from '@cueline/core/link';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createStore, planned, stateOf, work, workToEnd, type Worker } from '../support/durable-runs.ts';

type Call = { name: string; input: object };

const calls = (...made: Call[]): ScriptedTurn => made.map((toolCall) => ({ toolCall }));

/** Something that was done, which must not be done twice. */
type Done = string[];

type Definition = PromptDefinition<never>;

function bookTrip(done: Done): Definition {
  return definePrompt('bookTrip', (prompt) => {
    prompt.$`Book a trip for ${prompt.def('NAME', 'Ada')}.`;
    prompt.defTool('search', 'Search', z.object({ city: z.string() }), ({ city }) => `trains to ${city}`, {
      effect: 'read',
    });
    prompt.defTool(
      'book',
      'Book',
      z.object({ train: z.number() }),
      ({ train }) => {
        done.push(`book ${train}`);
        return { ticket: train * 10 };
      },
      { effect: 'write' },
    );
  });
}

const trip: ScriptedTurn[] = [
  calls({ name: 'search', input: { city: 'Faro' } }),
  calls({ name: 'book', input: { train: 7 } }, { name: 'book', input: { train: 8 } }),
  'Booked.',
];

test('advance makes one model call each time, and ends in the same state as one process', async () => {
  const done: Done = [];
  const store = createStore();
  const worker: Worker = { store, definition: bookTrip(done), model: () => planned(trip) };
  expect(await work(worker)).toEqual({ status: 'next' });
  expect(await work(worker)).toEqual({ status: 'next' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(await work(worker)).toEqual({ status: 'done' });
  expect(done).toEqual(['book 7', 'book 8']);

  const run = createRun(bookTrip([]) as unknown as PromptDefinition<void>, { model: planned(trip) });
  await run.start();
  const inOneProcess = run.getState();
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'Booked.', runId: 'run-1' });
  expect(state.messages.at(-1)?.parts).toEqual(inOneProcess.messages.at(-1)?.parts);
  expect(state.usage).toEqual(inOneProcess.usage);
  expect(state.steps.map(({ request }) => request)).toEqual(inOneProcess.steps.map(({ request }) => request));
});

test('the log grows only by what is new in a step, as in one process', async () => {
  const store = createStore();
  await workToEnd({ store, definition: bookTrip([]), model: () => planned(trip) });
  const changes = store.events.flatMap((event) => (event.type === 'step-start' ? [event.request] : []));
  expect(changes.map(({ keep, messages }) => [keep, messages.length])).toEqual([
    [0, 1],
    [1, 2],
    [3, 2],
  ]);
  expect(changes[2]).not.toHaveProperty('tools');
  expect(store.events.filter(({ type }) => type === 'variable-set')).toHaveLength(1);
});

/** Kills a run after each number of events in turn, lets another process continue it, and looks at what came of it. */
async function killEverywhere(
  make: (done: Done) => Definition,
  turns: Parameters<typeof planned>[0],
  check: (done: Done, store: ReturnType<typeof createStore>, after: string) => void,
  options?: Worker['options'],
): Promise<number> {
  const whole = createStore();
  await workToEnd({ store: whole, definition: make([]), model: () => planned(turns), options });
  for (let failsAt = 0; failsAt <= whole.events.length; failsAt += 1) {
    const done: Done = [];
    const store = createStore();
    const worker: Worker = { store, definition: make(done), model: () => planned(turns), options };
    store.failsAt = failsAt;
    for (let status = 'next'; status === 'next';) ({ status } = await work(worker));
    store.failsAt = Infinity;
    await workToEnd(worker);
    check(done, store, `killed after ${failsAt} of ${whole.events.length} events`);
  }
  return whole.events.length;
}

function countIn(done: Done, what: string): number {
  return done.filter((each) => each === what).length;
}

test('a process that crashes after any event starts each write at most once, and the run ends', async () => {
  await killEverywhere(bookTrip, trip, (done, store, after) => {
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: 'Booked.' });
    expect(countIn(done, 'book 7'), after).toBeLessThanOrEqual(1);
    expect(countIn(done, 'book 8'), after).toBeLessThanOrEqual(1);
    for (const { toolName, state: how, errorText } of state.toolCalls) {
      if (how === 'output-available') continue;
      expect([how, toolName, errorText], after).toEqual([
        'output-error',
        'book',
        expect.stringContaining('interrupted'),
      ]);
    }
    // every step ends once, and half an answer does not count
    const ends = store.events.flatMap((event) => (event.type === 'step-end' ? [event.step] : []));
    expect(ends, after).toEqual([0, 1, 2]);
  });
});

test('an idempotent call is made again with the same key', async () => {
  const keys: string[] = [];
  const pay = (): Definition =>
    definePrompt('pay', (prompt) => {
      prompt.$`Pay.`;
      prompt.defTool(
        'pay',
        'Pay',
        z.object({}),
        (_args, { idempotencyKey }) => {
          keys.push(idempotencyKey);
          return 'paid';
        },
        { effect: 'external', idempotent: true },
      );
    });
  await killEverywhere(pay, [calls({ name: 'pay', input: {} }), 'Paid.'], (_done, store, after) => {
    const [call] = stateOf(store).toolCalls;
    expect(call, after).toMatchObject({ state: 'output-available', output: 'paid' });
  });
  expect(new Set(keys)).toEqual(new Set(['run-1/0/call-0-0']));
  expect(keys.length).toBeGreaterThan(10);
});

function ask(done: Done): Definition {
  return definePrompt('ask', (prompt) => {
    prompt.$`Send it.`;
    prompt.defTool(
      'send',
      'Send',
      z.object({ to: z.string() }),
      ({ to }) => {
        done.push(`send ${to}`);
        return 'sent';
      },
      { effect: 'external', needsApproval: true },
    );
    prompt.defTool('look', 'Look', z.object({}), () => 'seen', { effect: 'read' });
  });
}

const sendTwo: ScriptedTurn[] = [
  calls(
    { name: 'send', input: { to: 'a' } },
    { name: 'send', input: { to: 'b' } },
    { name: 'look', input: {} },
  ),
  'Sent.',
];

test('a run waits for approvals without a process, and continues with the responses', async () => {
  const done: Done = [];
  const store = createStore();
  const worker: Worker = { store, definition: ask(done), model: () => planned(sendTwo) };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  expect(first.approvalIds).toHaveLength(2);
  expect(done).toEqual([]);
  expect(stateOf(store).toolCalls[2]).toMatchObject({ state: 'output-available', output: 'seen' });
  // nothing happens as long as nobody responds
  const length = store.events.length;
  expect(await work(worker)).toEqual(first);
  expect(store.events).toHaveLength(length);

  const [one, two] = first.approvalIds as [string, string];
  const approve = (approvalId: string) =>
    ({ type: 'approval-response', approvalId, response: { approved: true } }) as const;
  expect(await work(worker, [approve(two)])).toEqual({ ...first, approvalIds: [one] });
  expect(done).toEqual(['send b']);
  // the second response to the same approval has no effect
  expect(
    await work(worker, [{ ...approve(two), response: { approved: false } }, approve(one), approve('other')]),
  ).toEqual({ status: 'done' });
  expect(done).toEqual(['send b', 'send a']);
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'Sent.' });
  expect(state.approvals).toHaveLength(2);
  expect(state.toolCalls.map(({ output }) => output)).toEqual(['sent', 'sent', 'seen']);
});

test('a call that reuses the id of an approved call needs its own approval', async () => {
  const done: Done = [];
  const store = createStore();
  const same = (to: string): ScriptedTurn => [{ toolCall: { name: 'send', input: { to }, id: 'same' } }];
  const turns = [same('a'), same('b'), 'Sent.'];
  const worker: Worker = { store, definition: ask(done), model: () => planned(turns) };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  const [approvalId] = first.approvalIds as [string];
  const approved = { type: 'approval-response', approvalId, response: { approved: true } } as const;
  const second = await work(worker, [approved]);
  expect(second).toMatchObject({ status: 'waiting', approvalIds: [expect.not.stringMatching(approvalId)] });
  expect(done).toEqual(['send a']);
});

test('the model reads a refused approval, and a call with edited arguments runs with them', async () => {
  const done: Done = [];
  const store = createStore();
  const worker: Worker = { store, definition: ask(done), model: () => planned(sendTwo) };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  const [one, two] = first.approvalIds as [string, string];
  await work(worker, [
    { type: 'approval-response', approvalId: one, response: { approved: false, reason: 'not now' } },
    { type: 'approval-response', approvalId: two, response: { approved: true, input: { to: 'c' } } },
  ]);
  await work(worker);
  expect(done).toEqual(['send c']);
  const [refused] = stateOf(store).toolCalls;
  expect(refused?.errorText).toContain('not now');
  expect(JSON.stringify(stateOf(store).steps[1]?.request.messages)).toContain('other arguments');
});

function withHelper(done: Done): Definition {
  return definePrompt('parent', (prompt) => {
    prompt.$`Ask the helper.`;
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
      inner.$`You are the helper.`;
      inner.defTool(
        'note',
        'Note',
        z.object({ what: z.string() }),
        ({ what }) => {
          done.push(`note ${what}`);
          return 'noted';
        },
        { effect: 'write' },
      );
    });
  });
}

/** A model for a parent and its helper, by what it is sent. */
const helperTurns = (call: { prompt: readonly unknown[] }): ScriptedTurn[] =>
  JSON.stringify(call.prompt[0]).includes('You are the helper')
    ? [calls({ name: 'note', input: { what: 'a' } }), calls({ name: 'note', input: { what: 'b' } }), 'Noted.']
    : [calls({ name: 'helper', input: {} }), 'Helped.'];

test('an agent inside a tool continues where it was', async () => {
  const whole = createStore();
  await workToEnd({ store: whole, definition: withHelper([]), model: () => planned(helperTurns) });
  expect(stateOf(whole).agents[0]).toMatchObject({ status: 'done', text: 'Noted.' });
  for (let failsAt = 0; failsAt <= whole.events.length; failsAt += 1) {
    const done: Done = [];
    const store = createStore();
    const worker: Worker = { store, definition: withHelper(done), model: () => planned(helperTurns) };
    store.failsAt = failsAt;
    for (let status = 'next'; status === 'next';) ({ status } = await work(worker));
    store.failsAt = Infinity;
    await workToEnd(worker);
    const after = `killed after ${failsAt}`;
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: 'Helped.' });
    expect(state.toolCalls[0], after).toMatchObject({ state: 'output-available', output: 'Noted.' });
    expect(state.agents, after).toHaveLength(1);
    expect(
      state.agents[0]?.steps.map(({ step }) => step),
      after,
    ).toEqual([0, 1, 2]);
    expect(countIn(done, 'note a'), after).toBeLessThanOrEqual(1);
    expect(countIn(done, 'note b'), after).toBeLessThanOrEqual(1);
  }
});

function tasks(done: Done): Definition {
  return definePrompt('tasks', (prompt) => {
    prompt.$`Work.`;
    prompt.defTool(
      'act',
      'Act',
      z.object({ on: z.string() }),
      ({ on }) => {
        done.push(`act ${on}`);
        return 'acted';
      },
      { effect: 'write' },
    );
    prompt.defTaskList([
      { task: 'Do a', validation: (result) => (result === 'a' ? undefined : 'It must be a.') },
      { task: 'Do b' },
    ]);
  });
}

const taskTurns: Record<'a' | 'b', ScriptedTurn[]> = {
  a: [
    calls({ name: 'act', input: { on: 'a' } }),
    calls({ name: 'finishTask', input: { result: 'x' } }),
    calls({ name: 'finishTask', input: { result: 'a' } }),
  ],
  b: ['I think that is all.', calls({ name: 'finishTask', input: { result: 'b' } }), 'All done.'],
};

/** The turns of the task that is current in a call, which has none of the answers to earlier tasks. */
const turnsOfTask = ({ prompt }: LanguageModelV4CallOptions): ScriptedTurn[] =>
  taskTurns[JSON.stringify(prompt).includes('[Task 1/2] Do a') ? 'a' : 'b'];

test('a task list continues where it was, including its reminders', async () => {
  const seen = new Map<string, unknown>();
  await killEverywhere(
    tasks,
    turnsOfTask,
    (done, store, after) => {
      const state = stateOf(store);
      expect(state.status, after).toBe('done');
      expect(state.tasks, after).toMatchObject([
        { status: 'completed', result: 'a' },
        { status: 'completed', result: 'b' },
      ]);
      // a result that was refused just before the end of the process is handed in again
      expect([1, 2], after).toContain(state.tasks[0]?.attempts);
      expect(countIn(done, 'act a'), after).toBeLessThanOrEqual(1);
      expect(
        store.events.filter(({ type }) => type === 'task-add'),
        after,
      ).toHaveLength(2);
      const steers = store.events.filter((event) => event.type === 'steer' && event.cause === 'tasks');
      expect(steers.length, after).toBe(1);
      seen.set(after, state.steps.at(-1)?.request.messages.length);
    },
    { limits: { steps: 20 } },
  );
  // what the model is sent at the end does not depend on where the process was killed
  expect(new Set(seen.values()).size).toBe(1);
});

test('a task list sends the same at each step as in one process', async () => {
  const messages: UIMessage[] = [{ id: 'turn', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  const store = createStore();
  await workToEnd({ store, definition: tasks([]), model: () => planned(turnsOfTask), messages });
  const events: RunEvent[] = [];
  const start = {
    definition: tasks([]) as unknown as PromptDefinition<undefined>,
    input: undefined,
    model: planned(turnsOfTask),
    messages,
  };
  for await (const event of inProcess().start(start, new AbortController().signal)) events.push(event);
  const [durable, inOneProcess] = [stateOf(store), reduceAll(events)].map(({ steps }) =>
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

test('limits and the loop guard apply across processes', async () => {
  const again = calls({ name: 'search', input: { city: 'Faro' } });
  const store = createStore();
  const turns = Array.from({ length: 20 }, () => again);
  await workToEnd({ store, definition: bookTrip([]), model: () => planned(turns) });
  expect(stateOf(store)).toMatchObject({ status: 'error', error: { code: 'loop_detected' } });
  expect(stateOf(store).steps).toHaveLength(6);

  const other = createStore();
  const cities = Array.from({ length: 20 }, (_, index) =>
    calls({ name: 'search', input: { city: `City ${index}` } }),
  );
  await workToEnd({
    store: other,
    definition: bookTrip([]),
    model: () => planned(cities),
    options: { limits: { steps: 4 } },
  });
  expect(stateOf(other)).toMatchObject({
    status: 'error',
    error: { code: 'budget_exceeded', details: { limit: 'steps', allowed: 4 } },
  });

  const third = createStore();
  await workToEnd({
    store: third,
    definition: bookTrip([]),
    model: () => planned(cities),
    options: { stopWhen: ({ steps }) => steps.length === 3 },
  });
  expect(stateOf(third)).toMatchObject({ status: 'done' });
  expect(stateOf(third).steps).toHaveLength(3);
});

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

test('the log of a run that failed to start has its error, and a stop ends it', async () => {
  const store = createStore();
  const broken = definePrompt('broken', () => {
    throw new Error('No city is known.');
  });
  expect(await work({ store, definition: broken, model: () => planned([]) })).toEqual({ status: 'done' });
  expect(stateOf(store)).toMatchObject({ status: 'error', runId: 'run-1' });

  const other = createStore();
  const worker: Worker = { store: other, definition: ask([]), model: () => planned(sendTwo) };
  await work(worker);
  expect(await work(worker, [{ type: 'stop' }])).toEqual({ status: 'done' });
  expect(stateOf(other)).toMatchObject({ status: 'stopped' });
});

test('every event of an advanced run passes the checks of a log', async () => {
  const store = createStore();
  await workToEnd({ store, definition: bookTrip([]), model: () => planned(trip) });
  expect(decodeLog(encodeLog(store.events))).toHaveLength(store.events.length);
});

test('a run can be stopped before it has begun', async () => {
  const store = createStore();
  const worker: Worker = { store, definition: ask([]), model: () => planned(sendTwo) };
  expect(await work(worker, [{ type: 'stop' }])).toEqual({ status: 'done' });
  expect(stateOf(store)).toMatchObject({ status: 'stopped', runId: 'run-1' });
});

test('an agent waits for an approval without a process, and continues with the response', async () => {
  const done: Done = [];
  const store = createStore();
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Ask the helper.`;
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
      inner.$`You are the helper.`;
      inner.defTool('look', 'Look', z.object({}), () => {
        done.push('look');
        return 'seen';
      });
      inner.defTool(
        'send',
        'Send',
        z.object({}),
        (_none, { idempotencyKey }) => {
          done.push(`send ${idempotencyKey}`);
          return 'sent';
        },
        { effect: 'external', needsApproval: true },
      );
    });
  });
  const turns = (call: { prompt: readonly unknown[] }): ScriptedTurn[] =>
    JSON.stringify(call.prompt[0]).includes('You are the helper')
      ? [calls({ name: 'look', input: {} }), calls({ name: 'send', input: {} }), 'Sent.']
      : [calls({ name: 'helper', input: {} }), 'Helped.'];
  const worker: Worker = { store, definition, model: () => planned(turns) };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  expect(await work(worker)).toEqual(first);
  const [approvalId] = first.approvalIds as [string];
  await workToEnd(worker, [{ type: 'approval-response', approvalId, response: { approved: true } }]);
  expect(done).toEqual(['look', 'send run-1/0/call-0-0/call-0-0/1/call-0-0']);
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'Helped.' });
  expect(state.agents).toMatchObject([{ status: 'done', text: 'Sent.' }]);
});

test('options.toolApproval applies to a call that is made in another process', async () => {
  for (const status of ['user-approval', 'denied'] as const) {
    const done: Done = [];
    const whole = createStore();
    const options = { toolApproval: { book: () => status } } as Worker['options'];
    const one: Worker = { store: whole, definition: bookTrip([]), model: () => planned(trip), options };
    for (let last = 'next'; last === 'next';) ({ status: last } = await work(one));
    // killed between the answer and the first tool of its step
    const end = whole.events.findLastIndex(({ type }) => type === 'model-call-end');
    const store = createStore();
    store.events = whole.events.slice(0, end + 1);
    const worker: Worker = { ...one, store, definition: bookTrip(done) };
    const next = await work(worker);
    expect(done).toEqual([]);
    if (status === 'denied') expect(stateOf(store).toolCalls[1]?.state).toBe('output-error');
    else expect(next).toMatchObject({ status: 'waiting' });
  }
});

test('an answer that does not fit its schema is corrected across processes as often as in one', async () => {
  const store = createStore();
  const definition = definePrompt('city', (prompt) => prompt.$`Name a city.`, {
    output: z.object({ city: z.string() }),
  });
  const wrong = '{"town":"Faro"}';
  const worker: Worker = {
    store,
    definition,
    model: () => planned([wrong, wrong, '{"city":"Faro"}']),
  };
  expect(await workToEnd(worker)).toBe(3);
  expect(stateOf(store)).toMatchObject({ status: 'done', result: { city: 'Faro' } });
  const other = createStore();
  await workToEnd({ ...worker, store: other, model: () => planned([wrong, wrong, wrong, wrong]) });
  expect(stateOf(other)).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  expect(stateOf(other).steps).toHaveLength(3);
});
