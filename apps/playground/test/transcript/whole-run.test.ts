import { createElement, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { RunBar } from '../../src/panes/run-bar.tsx';
import { openLinkedRun } from '../../src/state/run-session.ts';
import { usePlayground, type RunSession } from '../../src/state/store.ts';
import { RunSummary } from '../../src/transcript/run-summary.tsx';
import { htmlOf } from '../drawn.ts';
import { sessionOf } from '../sessions.ts';
import { called, logOf, ran, start, stateOf, step } from './run-events.ts';

/** A turn of as many steps as the list has counts of tokens. */
function turnOf(tokens: readonly number[]) {
  return stateOf([
    start,
    ...tokens.flatMap((count, at) =>
      step(at, []).map((event) =>
        event.type === 'step-end'
          ? { ...event, usage: { inputTokens: count, outputTokens: 1, totalTokens: count + 1 } as never }
          : event,
      ),
    ),
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ]);
}

const first = turnOf([1_000, 2_000, 3_000]);
const last = turnOf([4_000]);
const session = sessionOf(openLinkedRun([]));

/** The text of an element, with its tooltips. */
function textOf(element: ReactElement): string {
  return htmlOf(element)
    .replaceAll(/<(?![^>]* title=)[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test.each([
  ['bar', RunBar],
  ['summary', RunSummary],
])('the %s of a later turn names the turn, and has the figures of the whole run', (_name, Component) => {
  const log = [{ log: [], state: first }];
  const shown = { state: last, turn: 1, earlier: log, isPast: false };
  const text = textOf(createElement(Component, { session, shown }));
  expect(text).toContain('Turn 2');
  expect(text).toContain('1 step');
  expect(text).toContain('2 turns · 4 steps · ');
  expect(text).toContain(' · 10,004 tokens');
});

test.each([RunBar, RunSummary])('a run of one turn has only its own figures', (Component) => {
  const shown = { state: first, turn: 0, earlier: [], isPast: false };
  const text = textOf(createElement(Component, { session, shown }));
  expect(text).toContain('3 steps');
  expect(text).toContain('6,00');
  expect(text).not.toMatch(/[Tt]urn \d|turns/);
});

test('a run that was interrupted says which script runs again, if the editor has another one', () => {
  const bodies = [
    start,
    ...step(0, [...called('c', 'look'), ...ran('c', 'look', 'found')]),
    ...step(1, []).slice(0, 1),
    { type: 'run-end', outcome: 'error', error: { code: 'network', message: 'No answer.' } } as const,
  ];
  const log = logOf(bodies);
  const { script, openScript } = usePlayground.getInitialState();
  const shown = { state: stateOf(bodies), turn: 0, earlier: [], isPast: false };
  const drawn = (source: { script: string }, open = openScript): string => {
    const broken = { ...session, run: openLinkedRun(log), source, openScript: open };
    return textOf(createElement(RunSummary, { session: broken, shown }));
  };
  expect(drawn({ script })).toMatch(/Run again from step 2 +Run again +Look inside/);
  const edited = /Run again from step 2 +with this run’s script +Run again with the script in the editor /;
  expect(drawn({ script: '// before the edit' })).toMatch(edited);
  const other = drawn({ script: '// another' }, { ...openScript, id: 'another' });
  expect(other).toMatch(/Run again from step 2 +with this run’s script +Look inside/);
});

test.each([
  ['before its first step', []],
  ['in its first step', step(0, []).slice(0, 1)],
])(
  'a reply that was interrupted %s can run again, and the first turn runs again as a whole',
  (_when, begun) => {
    const bodies = [start, ...begun, { type: 'run-end', outcome: 'stopped' } as const];
    const run = openLinkedRun(logOf(bodies));
    const { script, openScript } = usePlayground.getInitialState();
    const earlier = [{ log: [], state: first }];
    const drawn = (turn: number, more: Partial<RunSession> = {}): string => {
      const of = {
        ...session,
        run,
        source: { script },
        openScript,
        earlier: earlier.slice(0, turn),
        ...more,
      };
      const shown = { state: stateOf(bodies), turn, earlier: of.earlier, isPast: false };
      return textOf(createElement(RunSummary, { session: of, shown }));
    };
    expect(drawn(1)).toMatch(/Turn 2 · Stopped after .* Run this turn again +Run again /);
    expect(drawn(1, { source: { script: '// before' } })).toMatch(/this turn again +with this run’s script /);
    expect(drawn(1, { shared: true })).not.toContain('this turn again');
    expect(drawn(0)).not.toContain('this turn again');
    // without a step, there is nothing to look inside
    expect(drawn(1).includes('Look inside')).toBe(begun.length > 0);
  },
);
