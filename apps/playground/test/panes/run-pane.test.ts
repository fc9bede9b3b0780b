// @vitest-environment happy-dom
import type { RunEventBody } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { act, createElement } from 'react';
import { afterAll, afterEach, expect, test } from 'vitest';
import { RunPane } from '../../src/panes/run-pane.tsx';
import { useInspection } from '../../src/state/inspection.ts';
import { FollowMoment } from '../../src/state/moment/followed-moment.tsx';
import { usePlayground } from '../../src/state/store.ts';
import { openRoot } from '../drawn.ts';
import { sessionOf } from '../sessions.ts';
import { called, start, stateOf } from '../transcript/run-events.ts';

const { draw } = openRoot();
afterEach(() => draw(null));
afterAll(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  useInspection.getState().reset();
});

const bodies: readonly RunEventBody[] = [
  start,
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'send', { to: 'Ada' }),
  { type: 'approval-request', approvalId: 'r1', toolCallId: 'c1', toolName: 'send', input: { to: 'Ada' } },
];
/** Shows a run with these events at an earlier moment. */
async function showPast(all: readonly RunEventBody[], seq: number): Promise<void> {
  const now = stateOf(all);
  const run = {
    getState: () => now,
    at: (at: number) => stateOf(all.slice(0, at + 1)),
    log: () => [],
    subscribe: () => () => {},
    listen: () => () => {},
  };
  const session = sessionOf(run, { id: `${all.length}` });
  usePlayground.setState({ session });
  useInspection.getState().goTo({ turn: 0, seq });
  const pane = createElement(RunPane, { empty: null });
  draw(createElement(Tooltip.Provider, null, createElement(FollowMoment, null, pane)));
  // the page announces nothing in its first 3 seconds
  for (let round = 0; round < 80 && (bar() === undefined || !spoken()); round++)
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
}
const spoken = () => document.querySelector('[role=status][aria-live=polite]')?.textContent;
const bar = () => document.querySelector('[data-testid=past]')?.textContent;

test('an earlier moment says that the run waits for the user now', async () => {
  await showPast(bodies, 1);
  expect(bar()).toContain('The run waits for you now.');
  expect(spoken()).toBe('Waiting for you: may send run?');
});

test('an earlier moment of a run that has ended does not ask the user', async () => {
  await showPast([...bodies, { type: 'run-end', outcome: 'stopped' }], 4);
  expect(bar()).not.toContain('waits for you');
  expect(spoken()).toBe('Run stopped.');
});
