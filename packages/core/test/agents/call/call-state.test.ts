import type { CallEvent, CallState } from '@cueline/core/agents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  conditions,
  initialCallState,
  isEnd,
  mayCallTools,
  noCounts,
  transition,
  transitions,
} from '../../../src/agents/call/call-state.ts';

const states = Object.keys(transitions) as CallState[];
const events: CallEvent[] = [
  'answered',
  'unreadable',
  'silent',
  'called',
  'waiting',
  'broken',
  'aborted',
  'limit',
];

test('every state has a transition for every event', () => {
  for (const state of states) {
    expect(Object.keys(transitions[state]).toSorted(), state).toEqual(events.toSorted());
    for (const event of events) {
      const rules = transitions[state][event];
      expect(rules.length, `${state} × ${event}`).toBeGreaterThan(0);
      for (const { to, when } of rules) {
        expect(states).toContain(to);
        if (when !== undefined) expect(conditions).toHaveProperty([when]);
      }
      expect(rules.map(({ when }) => when === undefined)).toEqual(
        rules.map((_, index) => index === rules.length - 1),
      );
    }
  }
});

test('final states have no transitions, and only a valid answer leads to done', () => {
  const counters = { exceptions: 1, interrupts: 2, failures: 3 };
  const limits = { maxExceptionRetries: 3, maxInterrupts: 5 };
  for (const state of states) {
    for (const event of events) {
      const next = transition(state, event, counters, limits);
      if (isEnd(state)) expect(next).toEqual({ state, counters });
      else expect(next.state === 'done', `${state} × ${event}`).toBe(event === 'answered');
    }
  }
});

test('every state is reachable', () => {
  const reached = new Set<CallState>(['asking']);
  for (const state of reached) {
    for (const rules of Object.values(transitions[state])) for (const { to } of rules) reached.add(to);
  }
  expect([...reached].toSorted()).toEqual(states.toSorted());
});

test('tools stay removed once they are removed', () => {
  for (const state of states.filter((one) => !mayCallTools(one) && !isEnd(one))) {
    for (const rules of Object.values(transitions[state])) {
      for (const { to } of rules) expect(isEnd(to) || !mayCallTools(to), `${state} → ${to}`).toBe(true);
    }
  }
});

const limits = fc.record({
  maxExceptionRetries: fc.nat({ max: 4 }),
  maxInterrupts: fc.nat({ max: 4 }),
});

test('every path ends within (maxInterrupts + 1) × (maxExceptionRetries + 1) answers', () => {
  fc.assert(
    fc.property(limits, fc.infiniteStream(fc.constantFrom(...events)), (given, path) => {
      const most = (given.maxInterrupts + 1) * (given.maxExceptionRetries + 1);
      let state = initialCallState(given);
      let counters = noCounts;
      let answers = 0;
      for (const event of path) {
        if (isEnd(state)) break;
        expect(answers).toBeLessThan(most);
        if (event !== 'aborted' && event !== 'limit') answers += 1;
        ({ state, counters } = transition(state, event, counters, given));
        expect(counters.exceptions).toBeLessThanOrEqual(given.maxExceptionRetries + 1);
        expect(counters.interrupts).toBeLessThanOrEqual(given.maxInterrupts);
        if (answers === most) expect(isEnd(state)).toBe(true);
      }
    }),
  );
});

test('some path needs exactly that many answers', () => {
  const given = { maxExceptionRetries: 2, maxInterrupts: 3 };
  let state = initialCallState(given);
  let counters = noCounts;
  let answers = 0;
  while (!isEnd(state)) {
    const event = counters.exceptions < 2 ? 'unreadable' : mayCallTools(state) ? 'called' : 'answered';
    ({ state, counters } = transition(state, event, counters, given));
    answers += 1;
  }
  expect({ state, counters, answers }).toEqual({
    state: 'done',
    counters: { exceptions: 2, interrupts: 3, failures: 8 },
    answers: 12,
  });
});
