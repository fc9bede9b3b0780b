import { initialState, type RunState } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RunBar } from '../../src/panes/run-bar.tsx';
import type { RunSession } from '../../src/state/store.ts';

const session = {
  id: 's1',
  source: { script: '' },
  shared: true,
  model: { name: 'Demo model', detail: 'simulated' },
  simulated: true,
  startedAt: -60_000,
  earlier: [],
  run: { log: () => [] },
} as unknown as RunSession;
const running = { ...initialState, status: 'running', phase: 'text', elapsed: 300 } as RunState;

function draw(session: RunSession, isPast: boolean): string {
  const shown = { state: running, turn: 0, earlier: [], isPast };
  const html = renderToStaticMarkup(
    createElement(Tooltip.Provider, null, createElement(RunBar, { session, shown })),
  );
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('an earlier moment of a run does not look as if it ran now', () => {
  expect(draw(session, false)).toContain('Running');
  const past = draw(session, true);
  expect(past).toContain('Was running');
  expect(past).toContain('300 ms');
});

test('a recording shows the time of the recorded run, a run the time since its start', () => {
  expect(draw({ ...session, recorded: true }, false)).toContain('300 ms');
  expect(draw(session, false)).not.toContain('300 ms');
});
