import { createReducer, reduce, reduceAll, type RequestChange, type RunEvent } from '@cueline/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json } from '../support.ts';
import { inLog, runStart } from './any-events.ts';

type Messages = RequestChange['messages'];

/** Steps that keep some of what the step before sent, and send something new. */
const anyChanges: fc.Arbitrary<RequestChange[]> = fc
  .array(fc.tuple(fc.nat(12), fc.nat(3)), { maxLength: 30, size: 'max' })
  .map((sizes) =>
    sizes.map(([keep, count], step) => ({
      keep,
      messages: Array.from({ length: count }, (_, index) => ({ role: 'user', content: `${step}.${index}` })),
    })),
  );

function logOf(changes: readonly RequestChange[]): RunEvent[] {
  return inLog([
    runStart,
    ...changes.map((request, step) => ({ type: 'step-start' as const, step, request })),
  ]);
}

/** What each step sent, as the format says it. */
function sent(changes: readonly RequestChange[]): Messages[] {
  const lists: Messages[] = [];
  for (const { keep, messages } of changes)
    lists.push([...(lists.at(-1)?.slice(0, keep) ?? []), ...messages]);
  return lists;
}

test('each step has the messages that it kept, then its new ones, in whatever order steps are read', () => {
  fc.assert(
    fc.property(anyChanges, fc.array(fc.nat()), (changes, places) => {
      const { steps } = reduceAll(logOf(changes));
      const expected = sent(changes);
      for (const place of changes.length === 0 ? [] : places) {
        const step = place % changes.length;
        expect(steps[step]?.request.messages).toEqual(expected[step]);
      }
      expect(json(steps.map(({ request }) => request.messages))).toEqual(expected);
    }),
  );
});

test('a state continues from its last request, read or not, and also after it was stored', () => {
  fc.assert(
    fc.property(anyChanges, fc.nat(), fc.boolean(), (changes, place, stored) => {
      const events = logOf(changes);
      const head = reduceAll(events.slice(0, 1 + (place % events.length)));
      const reducer = createReducer(stored ? json(head) : head);
      for (const event of events.slice(head.seq + 1)) reducer.apply(event);
      expect(reducer.snapshot().steps.map(({ request }) => request.messages)).toEqual(sent(changes));
    }),
  );
});

test('a list that was read keeps its identity in the next states', () => {
  const [start, ...events] = logOf([
    { keep: 0, messages: [{ role: 'user', content: 'Hello' }] },
    { keep: 1, messages: [{ role: 'user', content: 'Again' }] },
  ]);
  const first = reduceAll([start!, events[0]!]);
  const { messages } = first.steps[0]!.request;
  expect(reduce(first, events[1]!).steps[0]!.request.messages).toBe(messages);
});
