import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { beforeEach, expect, test } from 'vitest';
import log from '../../src/examples/first-run.json' with { type: 'json' };
import { selectionKey, useInspection } from '../../src/state/inspection.ts';
import { logOf, shownAt } from '../../src/state/shown-run.ts';
import { sessionOf } from '../sessions.ts';

const events = log as readonly unknown[] as RunEvent[];
const prompt = definePrompt('weather', () => {});
const run = createRun(prompt, { log: events });
const first = createRun(prompt, { log: events.map((event) => ({ ...event })) });

const session = sessionOf(run, { earlier: [{ log: first.log(), state: first.getState() }] });
const now = run.getState();

beforeEach(() => useInspection.getState().reset());

test('without a moment, the run is shown as it is now', () => {
  expect(shownAt(session, now, undefined)).toEqual({
    state: now,
    turn: 1,
    earlier: session.earlier,
    isPast: false,
  });
});

test('a moment of the last turn shows that turn up to there, and the turns before it', () => {
  const shown = shownAt(session, now, { turn: 1, seq: 2 });
  expect(shown).toMatchObject({ turn: 1, earlier: session.earlier, isPast: true });
  expect(shown.state).toMatchObject({ seq: 2, status: 'running', text: '' });
});

test('a moment of an earlier turn leaves out what came after', () => {
  const shown = shownAt(session, now, { turn: 0, seq: 10 });
  expect(shown).toMatchObject({ turn: 0, earlier: [], isPast: true });
  expect(shown.state.seq).toBe(10);
});

test('a moment that the session does not have is ignored', () => {
  expect(shownAt(session, now, { turn: 2, seq: 0 }).isPast).toBe(false);
  expect(shownAt(undefined, now, { turn: 0, seq: 0 })).toMatchObject({ earlier: [], isPast: false });
});

test('each turn has its own log', () => {
  expect(logOf(session, 0)).toBe(session.earlier[0]!.log);
  expect(logOf(session, 1)).toBe(run.log());
});

test('selections with the same key are the same selection', () => {
  const call = { kind: 'call', turn: 0, step: 1, toolCallId: 'c' } as const;
  const keys = [
    call,
    { ...call, turn: 1 },
    { ...call, step: 0 },
    { ...call, toolCallId: 'd' },
    { ...call, agent: 'a' },
    { kind: 'step', turn: 0, step: 1 } as const,
    { kind: 'definition', of: 'tool', name: 'c' } as const,
    { kind: 'definition', of: 'variable', name: 'c' } as const,
  ].map(selectionKey);
  expect(new Set(keys).size).toBe(keys.length);
  useInspection.getState().select(call);
  const { selection } = useInspection.getState();
  useInspection.getState().select({ ...call });
  expect(useInspection.getState().selection).toBe(selection);
});
