import {
  createReducer,
  initialState,
  reduce,
  reduceAll,
  type RunEvent,
  type RunEventBody,
  type RunState,
  type TaskEvent,
} from '@cueline/core';
import { applyTaskEvent } from '@cueline/core/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sample } from '../support/sample.ts';
import {
  agentStart,
  anyAgentEnd,
  anyLog,
  anyPath,
  anySaid,
  anySaying,
  anyTaskEvent,
  freeze,
  inLog,
  runStart,
} from './any-events.ts';

/** In which the arguments of a step have to stay when the next step is retried. */
const retried = inLog([
  runStart,
  { type: 'tool-input-start', toolCallId: '1', toolName: 'look' },
  { type: 'tool-input-delta', toolCallId: '1', delta: '{"a":1' },
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  { type: 'retry', error: { code: 'provider_error', message: 'No.' } },
]);

describe('for any log', () => {
  test('a prefix and then the rest give the same state as the whole', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (events, at) => {
        const cut = at % (events.length + 1);
        const reducer = createReducer(freeze(reduceAll(events.slice(0, cut))));
        for (const event of events.slice(cut)) reducer.apply(event);
        expect(reducer.snapshot()).toStrictEqual(reduceAll(events));
      }),
      { numRuns: sample(500), examples: [[retried, 3]] },
    );
  });

  test('event by event, frozen in between, gives the same state as the whole', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        let state = initialState;
        for (const event of events) state = freeze(reduce(state, event));
        expect(state).toStrictEqual(reduceAll(events));
      }),
      { numRuns: sample(300) },
    );
  });

  test('a snapshot never changes, and taking one has no effect', () => {
    fc.assert(
      fc.property(anyLog, fc.infiniteStream(fc.boolean()), (events, looks) => {
        const reducer = createReducer();
        for (const event of events) {
          reducer.apply(event);
          if (looks.next().value) freeze(reducer.snapshot());
        }
        expect(reducer.snapshot()).toStrictEqual(reduceAll(events));
      }),
      { numRuns: sample(300) },
    );
  });

  test('a snapshot can be continued whatever its reducer has done since', () => {
    fc.assert(
      fc.property(anyLog, anyLog, fc.nat(), (events, others, at) => {
        const cut = at % (events.length + 1);
        const reducer = createReducer();
        for (const event of events.slice(0, cut)) reducer.apply(event);
        const trunk = reducer.snapshot();
        for (const event of others.slice(1)) reducer.apply(event);
        const branch = createReducer(trunk);
        for (const event of events.slice(cut)) branch.apply(event);
        expect(branch.snapshot()).toStrictEqual(reduceAll(events));
      }),
      { numRuns: sample(500) },
    );
  });

  test('only an agent with new events and its parents are new objects', () => {
    fc.assert(
      fc.property(
        fc.array(anySaid, { maxLength: 40, size: 'max' }),
        fc.tuple(anySaying, anyPath),
        (said, [body, agent]) => {
          const before = reduceAll(inLog([runStart, ...said]));
          const after = reduce(before, { ...body, agent, seq: said.length + 1, t: 9_999 });
          for (const [place, earlier] of before.agents.entries()) {
            if (!`${agent}/`.startsWith(`${earlier.path}/`)) expect(after.agents[place]).toBe(earlier);
          }
          expect(after.messages).toBe(before.messages);
          expect(after.toolCalls).toBe(before.toolCalls);
          expect(after.tasks).toBe(before.tasks);
          if (before.agents.every(({ path }) => path !== agent)) {
            expect(after).toStrictEqual({ ...before, seq: said.length + 1, elapsed: 9_999 });
          }
        },
      ),
      { numRuns: sample(300) },
    );
  });

  test('the state of an agent is that of a run with its events', () => {
    const own = fc.oneof({ weight: 20, arbitrary: anySaying }, anyAgentEnd);
    const others = fc.oneof(
      anySaying,
      fc.tuple(anySaying, fc.constantFrom('d', 'd/e')).map(([body, agent]) => ({ ...body, agent })),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(own, others), { maxLength: 30, size: 'max' }), (pairs) => {
        const {
          agent: _agent,
          toolCallId,
          input,
          name,
          ...start
        } = agentStart('a') as Extract<RunEvent, { type: 'agent-start' }>;
        const bodies = pairs.flatMap(([mine, theirs]) => [{ ...mine, agent: 'a' }, theirs]);
        const events = inLog([runStart, agentStart('d'), agentStart('a'), ...bodies]);
        const alone = events
          .filter(({ agent }) => agent === 'a')
          .map(({ agent: _path, ...event }) => {
            if (event.type === 'agent-start')
              return { ...event, ...runStart, ...start, name, type: 'run-start' };
            return event.type === 'agent-end' ? { ...event, type: 'run-end' } : event;
          }) as RunEvent[];
        const {
          runId,
          seq: _seq,
          simulated,
          agents,
          approvals,
          clientToolCalls,
          elapsed: _elapsed,
          queued: _queued,
          replaying: _replaying,
          ...facts
        } = reduceAll(alone);
        const { output: _output, ...agent } = reduceAll(events).agents[1]!;
        expect(agent).toStrictEqual({ ...facts, path: 'a', toolCallId, input });
        expect([runId, simulated, agents, approvals, clientToolCalls]).toEqual(['r', false, [], [], []]);
      }),
      { numRuns: sample(300) },
    );
  });

  test('a run waits while it is running and has something pending', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const state = reduceAll(events);
        const end = events.at(-1)!;
        if (end.type === 'run-end') expect(state.status).toBe(end.outcome);
        else {
          const isPending = ({ response, withdrawn }: { response?: unknown; withdrawn?: true }): boolean =>
            response === undefined && withdrawn === undefined;
          const waits = state.approvals.some(isPending) || state.clientToolCalls.some(isPending);
          expect(state.status).toBe(waits ? 'waiting' : 'running');
        }
      }),
    );
  });

  test('after a final end, nothing follows', () => {
    fc.assert(
      fc.property(anyLog, fc.constantFrom('done', 'stopped', 'error'), (events, outcome) => {
        const log = inLog([...events.filter(({ type }) => type !== 'run-end'), { type: 'run-end', outcome }]);
        const state = reduceAll(log);
        const works: Pick<RunState, 'status' | 'toolCalls'>[] = [state, ...state.agents];
        for (const { status, toolCalls } of works) {
          expect(status).not.toBe('running');
          for (const call of toolCalls) {
            expect(call.state).toMatch(/^(output-|interrupted)/);
          }
        }
        expect(state.agents.filter(({ status }) => status === 'waiting')).toEqual([]);
        for (const { response, withdrawn } of [...state.approvals, ...state.clientToolCalls]) {
          expect([response !== undefined, withdrawn === true].filter(Boolean)).toHaveLength(1);
        }
      }),
    );
  });
});

describe('for any events of tasks', () => {
  const changes = fc.array(anyTaskEvent, { maxLength: 60, size: 'max' });
  const log = (bodies: readonly RunEventBody[]): RunEvent[] => inLog([runStart, ...bodies]);

  test('the list is the reduction of its events', () => {
    fc.assert(
      fc.property(changes, (bodies) => {
        const { tasks } = reduceAll(log(bodies));
        const items = (bodies as TaskEvent[]).reduce(applyTaskEvent, []);
        expect(tasks.map(({ seq: _seq, startedAt: _s, finishedAt: _f, ...item }) => item)).toStrictEqual(
          items,
        );
      }),
    );
  });

  test('a task is a new object if it changed, and has the times of its status', () => {
    fc.assert(
      fc.property(changes, (bodies) => {
        let state = initialState;
        for (const event of log(bodies)) {
          const before = new Set(state.tasks);
          state = reduce(state, event);
          for (const task of state.tasks) {
            if (!before.has(task)) expect(task.seq).toBe(event.seq);
            const ended = ['completed', 'failed', 'skipped'].includes(task.status);
            expect(task.finishedAt !== undefined).toBe(ended);
            if (task.status === 'pending') expect(task.startedAt).toBeUndefined();
            if (task.status === 'in_progress') expect(task.startedAt).toBeLessThanOrEqual(event.t);
          }
          const fresh = state.tasks.filter((task) => !before.has(task));
          expect(fresh.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
