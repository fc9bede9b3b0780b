// @vitest-environment happy-dom
import type { RunEventBody } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { act, createElement } from 'react';
import { afterAll, afterEach, expect, test } from 'vitest';
import { RunPane } from '../../src/panes/run-pane.tsx';
import { useInspection } from '../../src/state/inspection.ts';
import { FollowMoment } from '../../src/state/moment/followed-moment.tsx';
import { openPreview, usePreview } from '../../src/state/preview.ts';
import { usePlayground, type RunSession } from '../../src/state/store.ts';
import { openRoot } from '../drawn.ts';
import { sessionOf } from '../sessions.ts';
import { called, start, stateOf } from '../transcript/run-events.ts';

const { draw } = openRoot();
afterEach(() => {
  draw(null);
  useInspection.getState().reset();
  usePreview.setState(usePreview.getInitialState(), true);
});
afterAll(() => usePlayground.setState(usePlayground.getInitialState(), true));

const bodies: readonly RunEventBody[] = [
  start,
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'send', { to: 'Ada' }),
  { type: 'approval-request', approvalId: 'r1', toolCallId: 'c1', toolName: 'send', input: { to: 'Ada' } },
];
/** Shows a run with these events. */
function showRun(all: readonly RunEventBody[], more: Partial<RunSession> = {}): void {
  const now = stateOf(all);
  const run = {
    getState: () => now,
    at: (at: number) => stateOf(all.slice(0, at + 1)),
    log: () => [],
    subscribe: () => () => {},
    listen: () => () => {},
  };
  usePlayground.setState({ session: sessionOf(run, { id: `${all.length}`, ...more }) });
  const pane = createElement(RunPane, { empty: null, preview: 'The preview' });
  draw(createElement(Tooltip.Provider, null, createElement(FollowMoment, null, pane)));
}

/** Shows a run with these events at an earlier moment. */
async function showPast(all: readonly RunEventBody[], seq: number): Promise<void> {
  showRun(all);
  act(() => useInspection.getState().goTo({ turn: 0, seq }));
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

test('the preview of the request replaces the tasks and the transcript of the run', async () => {
  showRun([...bodies, { type: 'task-add', task: { id: 'a', title: 'Count', origin: 'author' }, index: 0 }]);
  const tasks = () => document.querySelector('[data-testid=tasks]');
  for (let round = 0; round < 80 && tasks() === null; round++)
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(tasks()?.closest('.hidden')).toBeNull();
  act(() => openPreview(true));
  expect(document.body.textContent).toContain('The preview');
  expect(tasks()?.closest('.hidden')).toBeInstanceOf(HTMLElement);
});

test.each([
  ['a run of an eval takes the focus that its button has left', { ofEval: true }, undefined, 'Run'],
  ['a run of an eval leaves the focus where the user is', { ofEval: true }, 'elsewhere', 'elsewhere'],
  ['any other run takes no focus', {}, undefined, null],
])('%s', (_what, more, elsewhere, expected) => {
  const other = document.body.appendChild(document.createElement('button'));
  other.setAttribute('aria-label', 'elsewhere');
  if (elsewhere !== undefined) other.focus();
  // nothing waits in it, since a waiting card takes the focus
  showRun([...bodies, { type: 'run-end', outcome: 'stopped' }], { shared: true, ...more });
  expect(document.activeElement?.getAttribute('aria-label')).toBe(expected);
  other.remove();
});
