import { initialState, type RunState } from '@cueline/core';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { RunBar } from '../../src/panes/run-bar.tsx';
import type { RunSession } from '../../src/state/store.ts';
import { htmlOf } from '../drawn.ts';
import { sessionOf } from '../sessions.ts';

const session = sessionOf(
  { log: () => [] },
  { shared: true, model: { name: 'Demo model', detail: 'simulated' }, clock: { now: () => 60_000 } },
);
const running = { ...initialState, status: 'running', phase: 'text', elapsed: 300, seq: 3 } as RunState;

function draw(session: RunSession, isPast: boolean, state = running): string {
  const shown = { state, turn: 0, earlier: [], isPast };
  const html = htmlOf(createElement(RunBar, { session, shown }));
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('an earlier moment of a run does not look as if it ran now', () => {
  expect(draw(session, false)).toContain('Running');
  const past = draw(session, true);
  expect(past).toContain('Was running');
  expect(past).toContain('300 ms');
});

test('a run in progress shows its time until now', () => {
  expect(draw(session, false)).toContain('1 m 00 s');
});

test('a run has no time before its first event', () => {
  const starting = draw(session, false, { ...running, seq: -1 });
  expect(starting).toContain('Running starting');
  expect(starting).not.toContain('1 m 00 s');
});

test('an earlier moment has the model of its own turn', () => {
  const paid = { ...session, model: { name: 'gpt-5', detail: 'OpenAI' }, simulated: false };
  expect(draw(paid, false, { ...running, model: 'openai.responses:gpt-5' })).toContain('gpt-5 · OpenAI');
  const demo: RunState = { ...running, model: 'simulated:demo', simulated: true };
  expect(draw(paid, true, demo)).toContain('Demo model · simulated');
  expect(draw(session, true, { ...running, model: 'openai.responses:gpt-5' })).toContain('gpt-5 · OpenAI');
  // the session knows more about a model of its own
  const local = { ...paid, model: { name: 'llama3.2', detail: 'localhost:11434' } };
  const state: RunState = { ...running, model: 'custom.chat:llama3.2' };
  expect(draw(local, true, state)).toContain('llama3.2 · localhost:11434');
});
